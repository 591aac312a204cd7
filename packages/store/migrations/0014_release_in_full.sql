CREATE TABLE "circuit" (
	"origin" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"failures" integer NOT NULL,
	"successes" integer NOT NULL,
	"openings" integer NOT NULL,
	"open_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ramp" (
	"service_id" integer NOT NULL,
	"origin" text NOT NULL,
	"generation" bigint NOT NULL,
	"span" integer NOT NULL,
	"second_at" timestamp with time zone NOT NULL,
	"used" integer NOT NULL,
	CONSTRAINT "ramp_service_id_origin_pk" PRIMARY KEY("service_id","origin")
);
--> statement-breakpoint
CREATE TABLE "reconciliation" (
	"id" text PRIMARY KEY NOT NULL,
	"service_id" integer NOT NULL,
	"generation" bigint NOT NULL,
	"trigger" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reconciliation_item" (
	"reconciliation_id" text NOT NULL,
	"callback_id" text NOT NULL,
	"outcome" text NOT NULL,
	"reason" text NOT NULL,
	"action" text NOT NULL,
	"decided_at" timestamp with time zone NOT NULL,
	CONSTRAINT "reconciliation_item_reconciliation_id_callback_id_pk" PRIMARY KEY("reconciliation_id","callback_id")
);
--> statement-breakpoint
CREATE TABLE "review" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "review_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"callback_id" text NOT NULL,
	"decision" text NOT NULL,
	"payload_hash" "bytea" NOT NULL,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	"decided_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "disproved_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "ordering_hash" "bytea";--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "sealed_status" "bytea";--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "settle_after_ms" integer;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "passes_held" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "generation" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "attempts_before" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "unknown_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "retry_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "lookups" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "callback" ADD COLUMN "reconciliation_id" text;--> statement-breakpoint
ALTER TABLE "reconciliation_item" ADD CONSTRAINT "reconciliation_item_reconciliation_id_reconciliation_id_fk" FOREIGN KEY ("reconciliation_id") REFERENCES "public"."reconciliation"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reconciliation_service" ON "reconciliation" USING btree ("service_id","started_at");--> statement-breakpoint
CREATE INDEX "reconciliation_started" ON "reconciliation" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "review_callback" ON "review" USING btree ("callback_id");--> statement-breakpoint
CREATE INDEX "callback_ready" ON "callback" USING btree ("service_id","generation","origin","created_at","id") WHERE state in ('queued', 'retrying');--> statement-breakpoint
CREATE INDEX "callback_sending" ON "callback" USING btree ("origin","service_id") WHERE state = 'sending';--> statement-breakpoint
CREATE INDEX "callback_unreconciled" ON "callback" USING btree ("service_id") WHERE state = 'held' or (state = 'ambiguous' and reconciliation_id is null);--> statement-breakpoint
CREATE INDEX "callback_unproven" ON "callback" USING btree ("service_id") WHERE state in ('queued', 'retrying') and repeat = 'forbidden' and attempts > 0;--> statement-breakpoint
CREATE INDEX "callback_order" ON "callback" USING btree ("service_id","ordering_hash","created_at","id") WHERE ordering_hash is not null and finished_at is null;--> statement-breakpoint
CREATE INDEX "callback_deadline" ON "callback" USING btree ("deadline_at") WHERE deadline_at is not null and state in ('queued', 'held', 'retrying');--> statement-breakpoint
ALTER TABLE "callback" ADD CONSTRAINT "callback_only_safe_ones_pass" CHECK (not passes_held or safety = 'safe');--> statement-breakpoint
ALTER TABLE "callback" ADD CONSTRAINT "callback_status_is_whole" CHECK (settle_after_ms is not null or sealed_status is null);