CREATE TABLE "fingerprint" (
	"version" integer NOT NULL,
	"value" "bytea" NOT NULL,
	"subject_id" bigint NOT NULL,
	CONSTRAINT "fingerprint_version_value_pk" PRIMARY KEY("version","value")
);
--> statement-breakpoint
DROP INDEX "subject_fingerprint";--> statement-breakpoint
ALTER TABLE "source" ADD COLUMN "origin" text DEFAULT 'config' NOT NULL;--> statement-breakpoint
ALTER TABLE "source_secret" ADD COLUMN "origin" text DEFAULT 'config' NOT NULL;--> statement-breakpoint
CREATE INDEX "fingerprint_subject" ON "fingerprint" USING btree ("subject_id","version");--> statement-breakpoint
CREATE INDEX "gate_hand_expires" ON "gate" USING btree ("hand_expires_at") WHERE hand_expires_at is not null;--> statement-breakpoint
CREATE INDEX "incident_override" ON "incident" USING btree ("override_expires_at") WHERE override_expires_at is not null;--> statement-breakpoint
ALTER TABLE "gate" ADD CONSTRAINT "gate_hand_is_whole" CHECK ((hand is null) = (hand_actor is null) and (hand is null) = (hand_reason is null) and (hand is null) = (hand_expires_at is null));--> statement-breakpoint
ALTER TABLE "gate" ADD CONSTRAINT "gate_held_by_hand" CHECK ((hand is not distinct from 'held') = (reason = 'held_by_hand'));--> statement-breakpoint
ALTER TABLE "gate" ADD CONSTRAINT "gate_forced_open" CHECK ((hand is not distinct from 'open') = (reason = 'forced_open'));--> statement-breakpoint
ALTER TABLE "gate" ADD CONSTRAINT "gate_obeys_the_hand" CHECK (hand is null or (hand = 'held' and state = 'held') or (hand = 'open' and state in ('open', 'releasing')));