import type { SafeName } from '@tidegate/core';
import { listReceivers, retireReceiverByHand } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { silentAfterMs } from './silent-after-ms.ts';

export interface RetireFlags {
  readonly reason: SafeName;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

/**
 * `tidegate receivers retire ID`: opens nothing by itself, for whatever it took with it is verified anew. One that is heard is
 * refused: it would be back within a second, and a wrong id would have shut every gate for nothing.
 */
export async function retireReceiver(id: string, { reason, actor, json }: RetireFlags): Promise<void> {
  await withStore(async (sql, keyring, env) => {
    const receivers = await listReceivers(sql, silentAfterMs(env));
    if (receivers.some((receiver) => receiver.id === id && receiver.retiredAt === null && !receiver.silent)) {
      fail(`Receiver ${id} is heard: stop it, and nobody waits for it any more.`, 1);
      return;
    }
    const order = { id, reason, actor: currentActor(actor) };
    const { outcome, head } = await retireReceiverByHand(sql, order, auditSigner(keyring));
    if (!outcome) {
      fail(`There is no receiver ${id} that is waited for.`, 1);
      return;
    }
    if (json) {
      say(JSON.stringify({ receiver: id, retired: true, audit: presentHead(head) }));
      return;
    }
    say(`${id} is no longer waited for. Every gate is held until it is verified again, which begins now.`);
    say('Should it come back, it is waited for again.');
    if (head !== null) say(describeHead(head));
  });
}
