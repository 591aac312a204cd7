import { listSigningSecrets as list } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';

/** `tidegate signing-secrets list`: one line for each that signs now. */
export async function listSigningSecrets(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const items = await list(sql);
    if (flags.json) {
      say(JSON.stringify({ items }));
      return;
    }
    for (const { service, destination, createdAt, endsAt } of items) {
      const until = endsAt === null ? '' : `  ends ${endsAt.toISOString()}`;
      say(`${service}  ${destination ?? 'all destinations'}  since ${createdAt.toISOString()}${until}`);
    }
    if (items.length === 0) say('No signing secrets: the worker makes one for each service when it starts.');
  });
}
