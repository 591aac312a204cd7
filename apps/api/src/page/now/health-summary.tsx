import { Badge } from '../layout/mark.tsx';
import { Since } from '../layout/time.tsx';
import { count } from '../words/count.ts';
import { showDuration } from '../words/show-duration.ts';
import type { Health } from './read-health.ts';

const ROOM_WORDS: Readonly<Record<string, string>> = {
  correlate: 'Observations wait to be correlated',
  verify: 'Gates wait to be verified',
  release: 'Callbacks wait to be sent',
  notify: 'People wait to be told',
};

/** How Tidegate itself is. @param whole whether the key may see more than its own services: then receivers are named */
export function HealthSummary({ health, at, whole }: { health: Health; at: Date; whole: boolean }) {
  const { receivers, silent, poll, overdue } = health;
  return (
    <section id="health" data-live="" aria-labelledby="health-title">
      <h2 id="health-title">Tidegate itself</h2>
      <ul class="rows">
        <li>
          {silent.length > 0 || receivers.length === 0 ? (
            <Badge kind="fail">
              {receivers.length === 0
                ? 'No receiver runs: webhooks are not heard'
                : `${count(silent.length, 'receiver')} silent: every gate is held`}
            </Badge>
          ) : (
            <Badge kind="pass">{count(receivers.length, 'receiver')} heard</Badge>
          )}
          {whole ? (
            <span class="meta">
              {silent.map((one) => ` ${one.id} silent for ${showDuration(one.silentForMs)}.`)}
              {silent.length > 0 ? ' Start it again, or retire it with tidegate receivers retire.' : null}
            </span>
          ) : null}
        </li>
        <li>
          {poll === null || (poll.failures === 0 && poll.answeredAt === null) ? (
            <Badge kind="skipped">The Localtonet API is not polled</Badge>
          ) : poll.failures > 0 ? (
            <Badge kind="fail">The Localtonet API did not answer {count(poll.failures, 'poll')}</Badge>
          ) : (
            <Badge kind="pass">The Localtonet API answers</Badge>
          )}
          {poll?.answeredAt ? (
            <span class="meta">
              last <Since at={poll.answeredAt} now={at} /> ago
            </span>
          ) : null}
        </li>
        {overdue.length === 0 ? (
          <li>
            <Badge kind="pass">Nothing is overdue</Badge>
          </li>
        ) : (
          overdue.map(({ room, lateMs }) => (
            <li>
              <Badge kind="fail">
                {ROOM_WORDS[room]}, {showDuration(lateMs)} too long
              </Badge>
              <span class="meta">See whether the worker runs.</span>
            </li>
          ))
        )}
      </ul>
    </section>
  );
}
