CREATE TABLE "audit" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"target" text NOT NULL,
	"reason" text,
	"facts" jsonb NOT NULL,
	"mac" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "opened_values" (
	"hour" timestamp with time zone NOT NULL,
	"purpose" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "opened_values_hour_purpose_pk" PRIMARY KEY("hour","purpose")
);
--> statement-breakpoint
CREATE TABLE "quarantine" (
	"id" text PRIMARY KEY NOT NULL,
	"source_id" integer NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"field" text NOT NULL,
	"problem" text NOT NULL,
	"bytes" integer NOT NULL,
	"sealed_body" "bytea" NOT NULL,
	"replayed_at" timestamp with time zone,
	"replayed_as" text
);
--> statement-breakpoint
CREATE TABLE "receiver" (
	"id" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"heartbeat_at" timestamp with time zone NOT NULL,
	"retired_at" timestamp with time zone,
	"retired_by" text
);
--> statement-breakpoint
CREATE TABLE "silence" (
	"id" text PRIMARY KEY NOT NULL,
	"scope" text NOT NULL,
	"target" text,
	"actor" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "source_counter" (
	"source_id" integer NOT NULL,
	"outcome" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "source_counter_source_id_outcome_pk" PRIMARY KEY("source_id","outcome")
);
--> statement-breakpoint
ALTER TABLE "incident" DROP CONSTRAINT "incident_ends_on_evidence";--> statement-breakpoint
ALTER TABLE "incident" ALTER COLUMN "group_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "gate" ADD COLUMN "hand" text;--> statement-breakpoint
ALTER TABLE "gate" ADD COLUMN "hand_actor" text;--> statement-breakpoint
ALTER TABLE "gate" ADD COLUMN "hand_reason" text;--> statement-breakpoint
ALTER TABLE "gate" ADD COLUMN "hand_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "mass_group" text;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "acknowledged_by" text;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "override_actor" text;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "override_reason" text;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "override_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "source" ADD COLUMN "last_seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "source" ADD COLUMN "first_report" jsonb;--> statement-breakpoint
ALTER TABLE "subject" ADD COLUMN "polled_status" text;--> statement-breakpoint
ALTER TABLE "subject" ADD COLUMN "polled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "subject" ADD COLUMN "confirmed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "source_counter" ADD CONSTRAINT "source_counter_source_id_source_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."source"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "quarantine_received" ON "quarantine" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "quarantine_source" ON "quarantine" USING btree ("source_id");--> statement-breakpoint
CREATE INDEX "silence_expires" ON "silence" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "incident_open_mass" ON "incident" USING btree ("mass_group") WHERE state <> 'resolved' and mass_group is not null;--> statement-breakpoint
ALTER TABLE "incident" ADD CONSTRAINT "incident_has_one_group" CHECK ((group_id is null) <> (mass_group is null));--> statement-breakpoint
ALTER TABLE "incident" ADD CONSTRAINT "incident_ends_on_evidence" CHECK (state <> 'resolved' or resolved_by is not null or merged_into is not null or override_actor is not null);