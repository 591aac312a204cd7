CREATE TABLE "notice" (
	"thread" text PRIMARY KEY NOT NULL,
	"incident_id" text,
	"service_id" integer,
	"episode" integer DEFAULT 0 NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"waiting_mark" bigint DEFAULT 0 NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	CONSTRAINT "notice_is_about_one" CHECK ((incident_id is null) <> (service_id is null))
);
--> statement-breakpoint
CREATE TABLE "notification" (
	"id" text PRIMARY KEY NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "notification_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"thread" text NOT NULL,
	"incident_id" text,
	"generation" integer NOT NULL,
	"channel" text NOT NULL,
	"kind" text NOT NULL,
	"episode" integer NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"severity" text NOT NULL,
	"news" text NOT NULL,
	"acknowledged" boolean NOT NULL,
	"message" jsonb NOT NULL,
	"decided_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"first_attempt_at" timestamp with time zone,
	"lease_until" timestamp with time zone,
	"reached" boolean DEFAULT false NOT NULL,
	"status" integer,
	"reason" text,
	"ended_at" timestamp with time zone,
	"repeat_at" timestamp with time zone,
	CONSTRAINT "notification_has_ended" CHECK ((state in ('pending', 'sending')) = (ended_at is null)),
	CONSTRAINT "notification_is_due" CHECK ((due_at is null) = (ended_at is not null))
);
--> statement-breakpoint
CREATE TABLE "notify_channel" (
	"name" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"paused_until" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_sent_at" timestamp with time zone,
	"last_failed_at" timestamp with time zone,
	"last_reason" text,
	"last_status" integer,
	"removed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "notice_due" ON "notice" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "notice_reviewed" ON "notice" USING btree ("service_id") WHERE service_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "notification_once" ON "notification" USING btree ("thread","generation","channel","kind");--> statement-breakpoint
CREATE INDEX "notification_due" ON "notification" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "notification_waiting" ON "notification" USING btree ("channel","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "notification_repeat" ON "notification" USING btree ("repeat_at") WHERE repeat_at is not null;--> statement-breakpoint
CREATE INDEX "notification_thread" ON "notification" USING btree ("thread","channel","seq");--> statement-breakpoint
CREATE INDEX "notification_decided" ON "notification" USING btree ("decided_at","id");--> statement-breakpoint
CREATE INDEX "callback_needs_review" ON "callback" USING btree ("service_id") WHERE state = 'needs_review';