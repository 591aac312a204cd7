CREATE TABLE "api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"lookup_hash" "bytea" NOT NULL,
	"scopes" text[] NOT NULL,
	"services" text[],
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_key_lookup_hash_unique" UNIQUE("lookup_hash")
);
--> statement-breakpoint
CREATE TABLE "attempt" (
	"callback_id" text NOT NULL,
	"number" integer NOT NULL,
	"generation" bigint NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone,
	"phase" text,
	"status" integer,
	"reason" text,
	"latency_ms" integer,
	CONSTRAINT "attempt_callback_id_number_pk" PRIMARY KEY("callback_id","number")
);
--> statement-breakpoint
CREATE TABLE "callback" (
	"id" text PRIMARY KEY NOT NULL,
	"service_id" integer NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"payload_hash" "bytea" NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"method" text NOT NULL,
	"origin" text NOT NULL,
	"safety" text NOT NULL,
	"repeat" text NOT NULL,
	"sealed_url" "bytea" NOT NULL,
	"sealed_headers" "bytea" NOT NULL,
	"sealed_body" "bytea",
	"sealed_idempotency_key" "bytea" NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone,
	"deadline_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "signing_secret" (
	"service_id" integer PRIMARY KEY NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "data_key" (
	"id" uuid PRIMARY KEY NOT NULL,
	"wrapped" "bytea" NOT NULL,
	"recipient_key_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dependency" (
	"subject_id" bigint NOT NULL,
	"service_id" integer NOT NULL,
	"origin" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dependency_subject_id_service_id_pk" PRIMARY KEY("subject_id","service_id")
);
--> statement-breakpoint
CREATE TABLE "gate" (
	"service_id" integer PRIMARY KEY NOT NULL,
	"state" text DEFAULT 'held' NOT NULL,
	"reason" text DEFAULT 'never_verified' NOT NULL,
	"generation" bigint DEFAULT 1 NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"verify_due_at" timestamp with time zone DEFAULT now(),
	"verify_attempt" integer DEFAULT 0 NOT NULL,
	"verify_run" text,
	"passes" integer DEFAULT 0 NOT NULL,
	"pass_generation" bigint DEFAULT 0 NOT NULL,
	"opened_by" text,
	"opened_by_started_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "service" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "service_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"source_name" text NOT NULL,
	"group_name" text NOT NULL,
	"device_ref" text,
	"tunnel_ref" text,
	"device_id" bigint,
	"tunnel_id" bigint,
	"policy_name" text NOT NULL,
	"open_after_ms" integer NOT NULL,
	"max_wait_ms" integer NOT NULL,
	"verify_every_ms" integer NOT NULL,
	"probe_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone,
	CONSTRAINT "service_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "blip" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "blip_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"group_id" bigint NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"count" integer NOT NULL,
	"recorded_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "incident" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"group_id" bigint NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"acknowledged_at" timestamp with time zone,
	"resolved_at" timestamp with time zone,
	"resolved_by" text,
	"merged_into" text,
	"reopened" integer DEFAULT 0 NOT NULL,
	"summary" text NOT NULL,
	"first_broken" text,
	CONSTRAINT "incident_ends_on_evidence" CHECK (state <> 'resolved' or resolved_by is not null or merged_into is not null)
);
--> statement-breakpoint
CREATE TABLE "incident_service" (
	"incident_id" text NOT NULL,
	"service_id" integer NOT NULL,
	CONSTRAINT "incident_service_incident_id_service_id_pk" PRIMARY KEY("incident_id","service_id")
);
--> statement-breakpoint
CREATE TABLE "incident_subject" (
	"incident_id" text NOT NULL,
	"subject_id" bigint NOT NULL,
	"why" text NOT NULL,
	"joined_at" timestamp with time zone NOT NULL,
	CONSTRAINT "incident_subject_incident_id_subject_id_pk" PRIMARY KEY("incident_id","subject_id")
);
--> statement-breakpoint
CREATE TABLE "pending" (
	"group_id" bigint PRIMARY KEY NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"count" integer NOT NULL,
	"disconnects" integer NOT NULL,
	"due_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "timeline_entry" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "timeline_entry_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"incident_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"event" text NOT NULL,
	"why" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"keyring_id" text NOT NULL,
	CONSTRAINT "installation_only" CHECK ("installation"."only")
);
--> statement-breakpoint
CREATE TABLE "delivery" (
	"id" uuid PRIMARY KEY NOT NULL,
	"observation_key" uuid NOT NULL,
	"source_id" integer NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"extra_fields" text,
	"extra_unnamed" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "observation" (
	"key" uuid PRIMARY KEY NOT NULL,
	"subject_id" bigint NOT NULL,
	"source_id" integer NOT NULL,
	"status" text NOT NULL,
	"action_date" text,
	"sealed_action_date" "bytea",
	"ticks" bigint,
	"zone" text,
	"trusted" boolean NOT NULL,
	"first_delivery_id" uuid NOT NULL,
	"first_received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "source" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "source_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"group_name" text NOT NULL,
	"time_zone" text NOT NULL,
	"watch" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone,
	CONSTRAINT "source_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "source_secret" (
	"lookup_hash" "bytea" PRIMARY KEY NOT NULL,
	"source_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"retired_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "connectivity" (
	"subject_id" bigint PRIMARY KEY NOT NULL,
	"ticks" bigint,
	"disconnected" boolean,
	"observation_key" uuid,
	"suspect_disconnected" boolean DEFAULT false NOT NULL,
	"suspect_connected" boolean DEFAULT false NOT NULL,
	"cleared_key" uuid,
	"moved_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subject" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "subject_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"alias" text NOT NULL,
	"type" text NOT NULL,
	"group_name" text NOT NULL,
	"fingerprint_version" integer NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"public_id" text,
	"sealed_id" "bytea",
	"name" text,
	"device_id" bigint,
	"device_origin" text,
	"device_since" timestamp with time zone,
	"linked_at" timestamp with time zone,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "subject_alias_unique" UNIQUE("alias")
);
--> statement-breakpoint
CREATE TABLE "verification" (
	"id" text PRIMARY KEY NOT NULL,
	"service_id" integer NOT NULL,
	"generation" bigint NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"verdict" text NOT NULL,
	"first_broken" text,
	"runbook" text NOT NULL,
	"passed" boolean NOT NULL,
	"passes" integer NOT NULL,
	"overtaken" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_layer" (
	"verification_id" text NOT NULL,
	"layer" text NOT NULL,
	"outcome" text NOT NULL,
	"reason" text NOT NULL,
	"latency_ms" integer,
	"detail" text NOT NULL,
	CONSTRAINT "verification_layer_verification_id_layer_pk" PRIMARY KEY("verification_id","layer")
);
--> statement-breakpoint
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_callback_id_callback_id_fk" FOREIGN KEY ("callback_id") REFERENCES "public"."callback"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dependency" ADD CONSTRAINT "dependency_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "public"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gate" ADD CONSTRAINT "gate_service_id_service_id_fk" FOREIGN KEY ("service_id") REFERENCES "public"."service"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_service" ADD CONSTRAINT "incident_service_incident_id_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incident"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "incident_subject" ADD CONSTRAINT "incident_subject_incident_id_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incident"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "timeline_entry" ADD CONSTRAINT "timeline_entry_incident_id_incident_id_fk" FOREIGN KEY ("incident_id") REFERENCES "public"."incident"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_secret" ADD CONSTRAINT "source_secret_source_id_source_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."source"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_layer" ADD CONSTRAINT "verification_layer_verification_id_verification_id_fk" FOREIGN KEY ("verification_id") REFERENCES "public"."verification"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attempt_open_lease" ON "attempt" USING btree ("lease_until") WHERE finished_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "callback_idempotency" ON "callback" USING btree ("service_id","key_hash");--> statement-breakpoint
CREATE INDEX "callback_due" ON "callback" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "callback_service_state" ON "callback" USING btree ("service_id","state","created_at");--> statement-breakpoint
CREATE INDEX "dependency_service" ON "dependency" USING btree ("service_id");--> statement-breakpoint
CREATE INDEX "gate_verify_due" ON "gate" USING btree ("verify_due_at") WHERE verify_due_at is not null;--> statement-breakpoint
CREATE INDEX "service_group" ON "service" USING btree ("group_name") WHERE retired_at is null;--> statement-breakpoint
CREATE INDEX "blip_group" ON "blip" USING btree ("group_id","recorded_at");--> statement-breakpoint
CREATE UNIQUE INDEX "incident_open_group" ON "incident" USING btree ("group_id") WHERE state <> 'resolved';--> statement-breakpoint
CREATE INDEX "incident_group_resolved" ON "incident" USING btree ("group_id","resolved_at");--> statement-breakpoint
CREATE INDEX "incident_opened" ON "incident" USING btree ("opened_at","id");--> statement-breakpoint
CREATE INDEX "incident_service_service" ON "incident_service" USING btree ("service_id");--> statement-breakpoint
CREATE INDEX "pending_due" ON "pending" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "timeline_entry_incident" ON "timeline_entry" USING btree ("incident_id","id");--> statement-breakpoint
CREATE INDEX "delivery_observation" ON "delivery" USING btree ("observation_key");--> statement-breakpoint
CREATE INDEX "observation_subject" ON "observation" USING btree ("subject_id","ticks");--> statement-breakpoint
CREATE INDEX "observation_received" ON "observation" USING btree ("first_received_at","key");--> statement-breakpoint
CREATE INDEX "source_secret_source" ON "source_secret" USING btree ("source_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subject_fingerprint" ON "subject" USING btree ("fingerprint_version","fingerprint");--> statement-breakpoint
CREATE INDEX "subject_device" ON "subject" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "subject_group_name" ON "subject" USING btree ("group_name","type","name");--> statement-breakpoint
CREATE INDEX "verification_service" ON "verification" USING btree ("service_id","started_at");