import { type Command, Option } from 'commander';
import { giveOrder, type OrderFlags } from '../callbacks/give-order.ts';
import { type ListCallbacksFlags, showCallbacks } from '../callbacks/list-callbacks.ts';
import { withOrderFlags } from '../callbacks/with-order-flags.ts';
import { toConfigName } from '../flags/to-config-name.ts';
import { toCount } from '../flags/to-count.ts';
import { toDuration } from '../flags/to-duration.ts';
import { toPayloadHash } from '../flags/to-payload-hash.ts';
import { withListFlags } from '../flags/with-list-flags.ts';
import { showReview } from './show-review.ts';

interface ApproveFlags extends OrderFlags {
  readonly payloadHash: Buffer;
  readonly for: number;
}

const APPROVED_FOR_MS = 3_600_000;

/** `tidegate review …`: callbacks whose outcome nobody can know, and a person's word about each. */
export function addReviewCommands(review: Command): void {
  withListFlags(review.command('list').description('callbacks that wait for a person, newest first'))
    .option('--service <name>', 'only those of this service', toConfigName)
    .option('--limit <n>', 'how many', toCount, 50)
    .option('--cursor <text>', 'where the page before ended')
    .addHelpText('after', '\nExample:\n  tidegate review list --watch')
    .action((flags: ListCallbacksFlags) =>
      showCallbacks({ ...flags, state: 'needs_review' }, 'Nothing waits for a person.'),
    );
  review
    .command('show <id>')
    .description('the evidence about one: attempts, reconciliation, earlier decisions, payload hash')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate review show cb_4x2…')
    .action(showReview);
  withOrderFlags(review.command('approve <id>').description('let it out once more, though it may have happened'))
    .requiredOption('--payload-hash <hash>', 'of what you looked at, from `tidegate review show`', toPayloadHash)
    .addOption(
      new Option('--for <duration>', 'when the approval ends unless used')
        .argParser(toDuration)
        .default(APPROVED_FOR_MS, '1h'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  tidegate review approve cb_4x2… --payload-hash 9f3c… --reason "not in their books" --for 30m',
    )
    .action((id: string, { payloadHash, for: forMs, ...flags }: ApproveFlags) => {
      const done = `Approved: ${id} is sent once more as soon as its gate allows it.`;
      return giveOrder({ callback: id, command: 'approve', approval: { payloadHash, forMs }, done }, flags);
    });
  withOrderFlags(review.command('deny <id>').description('do not send it again; it ends as failed'))
    .addHelpText('after', '\nExample:\n  tidegate review deny cb_4x2… --reason "they will ask again themselves"')
    .action((id: string, flags: OrderFlags) =>
      giveOrder({ callback: id, command: 'deny', approval: null, done: `Denied: ${id} is not sent again.` }, flags),
    );
  withOrderFlags(review.command('complete <id>').description('it happened; it ends as delivered'))
    .addHelpText('after', '\nExample:\n  tidegate review complete cb_4x2… --reason "seen in their books"')
    .action((id: string, flags: OrderFlags) =>
      giveOrder({ callback: id, command: 'complete', approval: null, done: `Marked complete: ${id}.` }, flags),
    );
}
