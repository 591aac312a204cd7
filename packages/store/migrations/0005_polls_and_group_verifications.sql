CREATE TABLE "poll" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"wanted_at" timestamp with time zone,
	"allowed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"lease_until" timestamp with time zone,
	"run" text,
	"failures" integer DEFAULT 0 NOT NULL,
	"answered_at" timestamp with time zone,
	"newest_unlinked_id" bigint,
	CONSTRAINT "poll_only" CHECK ("only")
);
--> statement-breakpoint
ALTER TABLE "verification" ALTER COLUMN "service_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "passes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "passed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "verification" ADD COLUMN "incident_id" text;--> statement-breakpoint
CREATE INDEX "incident_mass_resolved" ON "incident" USING btree ("mass_group","resolved_at") WHERE mass_group is not null;--> statement-breakpoint
CREATE INDEX "subject_unlinked" ON "subject" USING btree ("id") WHERE type = 'device' and linked_at is null;--> statement-breakpoint
CREATE INDEX "verification_incident" ON "verification" USING btree ("incident_id","started_at") WHERE incident_id is not null;--> statement-breakpoint
ALTER TABLE "verification" ADD CONSTRAINT "verification_is_of_one" CHECK ((service_id is null) <> (incident_id is null));