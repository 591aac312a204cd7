import type { ChainedAuditRow } from '@tidegate/core';
import { Time } from '../layout/time.tsx';
import { AUDIT_WORDS } from '../words/audit-words.ts';

/** What people did and keys were used for, the newest first. */
export function AuditPage({ rows, next }: { rows: readonly ChainedAuditRow[]; next: number | null }) {
  return (
    <>
      <h1>Audit</h1>
      <p class="hint">
        Each row vouches for the one before it; <code>tidegate audit verify</code> checks the chain.
      </p>
      <section id="list" data-live="" aria-label="Audit rows, newest first">
        {rows.length === 0 ? <p class="empty">There is nothing further back.</p> : null}
        <ol class="timeline">
          {rows.map((row) => (
            <li class="event">
              <Time at={new Date(row.at)} precise />
              <span>
                <strong>{row.actor}</strong> {AUDIT_WORDS[row.action] ?? row.action.replaceAll(/[._]/g, ' ')}{' '}
                {row.target}
                {row.reason === null ? '' : `: ${row.reason}`} <span class="meta">№ {row.seq}</span>
              </span>
            </li>
          ))}
        </ol>
        {next === null ? null : (
          <nav class="pager" aria-label="Further in the list">
            <a rel="next" href={`/audit?before=${next}`}>
              Older
            </a>
          </nav>
        )}
      </section>
    </>
  );
}
