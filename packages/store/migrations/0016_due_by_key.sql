DROP INDEX "callback_ready";--> statement-breakpoint
DROP INDEX "callback_unproven";--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "by_approval" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "callback_ready" ON "callback" USING btree ("service_id","generation","origin",(ordering_hash is null),"due_at","created_at","id") WHERE state in ('queued', 'retrying');--> statement-breakpoint
CREATE INDEX "callback_unproven" ON "callback" USING btree ("service_id") WHERE state in ('queued', 'retrying') and (by_approval or (repeat = 'forbidden' and attempts > 0));