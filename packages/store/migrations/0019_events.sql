CREATE TABLE "event" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "event_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"number" bigint,
	"at" timestamp with time zone NOT NULL,
	"recorded_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"event" text NOT NULL,
	"incident_id" text,
	"service" text,
	"callback_id" text,
	"reason" text,
	"actor" text,
	"words" text,
	"why" text,
	"services" text[]
);
--> statement-breakpoint
CREATE TABLE "event_counter" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"last_number" bigint DEFAULT 0 NOT NULL,
	"pruned_through" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "event_counter_only" CHECK ("only")
);
--> statement-breakpoint
ALTER TABLE "timeline_entry" ADD COLUMN "service" text;--> statement-breakpoint
CREATE UNIQUE INDEX "event_number" ON "event" USING btree ("number") WHERE number is not null;--> statement-breakpoint
CREATE INDEX "event_waiting" ON "event" USING btree ("id") WHERE number is null;