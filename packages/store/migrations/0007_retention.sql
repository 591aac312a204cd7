CREATE INDEX "callback_finished" ON "callback" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "incident_resolved" ON "incident" USING btree ("resolved_at") WHERE resolved_at is not null;--> statement-breakpoint
CREATE INDEX "observation_sealed" ON "observation" USING btree ("key") WHERE sealed_action_date is not null;--> statement-breakpoint
CREATE INDEX "verification_finished" ON "verification" USING btree ("finished_at");