import type { SafeName } from '@tidegate/core';
import { type Audited, forceOpenGate, holdGate, type OrderedGate, releaseGate } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';

interface OrderFlags {
  readonly actor?: SafeName;
  readonly reason?: SafeName;
  readonly json?: boolean;
}

export interface TimedOrderFlags extends OrderFlags {
  readonly reason: SafeName;
  readonly for: number;
}

/** `tidegate gate hold SERVICE` */
export async function holdByHand(service: string, flags: TimedOrderFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = { service, actor: currentActor(flags.actor), reason: flags.reason, keyId: null, forMs: flags.for };
    tell(
      service,
      flags,
      await holdGate(sql, order, auditSigner(keyring)),
      (until) => `The gate of ${service} is held until ${until}.`,
    );
  });
}

/** `tidegate gate force-open SERVICE`: against what verification says, so it says so. */
export async function forceOpen(service: string, flags: TimedOrderFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = { service, actor: currentActor(flags.actor), reason: flags.reason, keyId: null, forMs: flags.for };
    tell(
      service,
      flags,
      await forceOpenGate(sql, order, auditSigner(keyring)),
      (until) =>
        `The gate of ${service} is forced open until ${until}: nothing that happens to its connection shuts it.`,
    );
  });
}

/** `tidegate gate release SERVICE` */
export async function releaseByHand(service: string, flags: OrderFlags): Promise<void> {
  await withStore(async (sql, keyring) => {
    const order = { service, actor: currentActor(flags.actor), reason: flags.reason ?? null, keyId: null };
    tell(
      service,
      flags,
      await releaseGate(sql, order, auditSigner(keyring)),
      () => `The gate of ${service} is held until it is verified again, which begins now.`,
    );
  });
}

function tell(
  service: string,
  flags: OrderFlags,
  { outcome, head }: Audited<OrderedGate>,
  describe: (until: string) => string,
): void {
  switch (outcome.kind) {
    case 'unknown_service':
      fail(`There is no service ${service}.`, 1);
      return;
    case 'no_hand':
      fail(`Nobody holds the gate of ${service} or forces it open.`, 1);
      return;
    case 'moved': {
      const { state, generation, expiresAt } = outcome;
      if (flags.json) {
        say(JSON.stringify({ service, state, generation, expiresAt, audit: presentHead(head) }));
        return;
      }
      say(describe(expiresAt?.toISOString() ?? ''));
      if (head !== null) say(describeHead(head));
    }
  }
}
