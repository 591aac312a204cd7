ALTER TABLE "signing_secret" DROP CONSTRAINT "signing_secret_pkey";--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "lease_token" uuid;--> statement-breakpoint
ALTER TABLE "signing_secret" ADD COLUMN "id" bigint PRIMARY KEY NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "signing_secret_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "signing_secret" ADD COLUMN "destination" text;--> statement-breakpoint
ALTER TABLE "signing_secret" ADD COLUMN "secret_hash" "bytea";--> statement-breakpoint
ALTER TABLE "signing_secret" ADD COLUMN "ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "signing_secret" ADD COLUMN "retired_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "signing_secret_service" ON "signing_secret" USING btree ("service_id","destination");