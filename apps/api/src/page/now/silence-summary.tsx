import type { SilenceRow } from '@tidegate/store';
import { Time } from '../layout/time.tsx';

/** About what nobody is told at present, and by whose word; nothing where nothing is muted. @param ends whether the key may end it */
export function SilenceSummary({ silences, ends }: { silences: readonly SilenceRow[]; ends: boolean }) {
  return (
    <div id="silences" data-live="">
      {silences.length === 0 ? null : (
        <section aria-labelledby="silences-title">
          <h2 id="silences-title">Pages muted</h2>
          <ul class="rows">
            {silences.map(({ id, scope, target, targetName, actor, reason, expiresAt }) => (
              <li>
                <strong>{scope === 'all' ? 'Everything' : (targetName ?? target)}</strong>
                <span class="meta">
                  {actor}: “{reason}”, until <Time at={expiresAt} />
                </span>
                {ends ? (
                  <form method="post" action={`/silences/${id}/end`}>
                    <button type="submit" class="quiet">
                      End it
                    </button>
                  </form>
                ) : null}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
