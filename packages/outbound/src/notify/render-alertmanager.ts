import type { Content } from './create-scrubber.ts';
import type { Outgoing } from './notify-target.ts';

/** Prometheus gives an alert four of its own repeats to live, so that one that is lost resolves nothing. */
const REPEATS_TO_LIVE = 4;
/** A test resolves itself. */
const TEST_LIVES_MS = 60_000;

/**
 * Alerts of Alertmanager's API v2. Its labels are what an alert is, hence the same from opening to end; what changes is in the
 * annotations. It lives until `endsAt`, which each repeat moves on, and resolves by an `endsAt` that has passed.
 */
export function renderAlertmanager({ message }: Outgoing, nowMs: number, repeatEveryMs: number): Content {
  const { thread, openedSeverity, group, title, lines, services, startedAt, endedAt, link, kind } = message;
  const livesMs = kind === 'test' ? TEST_LIVES_MS : repeatEveryMs * REPEATS_TO_LIVE;
  return [
    {
      labels: {
        alertname: thread.startsWith('rev_') ? 'TidegateReview' : kind === 'test' ? 'TidegateTest' : 'TidegateIncident',
        thread,
        severity: openedSeverity,
        group,
      },
      annotations: { summary: title, description: lines.join('\n'), services: services.join(', ') },
      startsAt: startedAt,
      endsAt: endedAt ?? new Date(nowMs + livesMs).toISOString(),
      ...(link === null ? {} : { generatorURL: link }),
    },
  ];
}
