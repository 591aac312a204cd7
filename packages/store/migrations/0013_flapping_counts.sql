ALTER TABLE "incident" ADD COLUMN "flap_changes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "flap_counted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "flap_told" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "incident" ADD COLUMN "flap_worst" text;