import { setTimeout as delay } from 'node:timers/promises';
import { type LayerResult, observationId, type Verdict } from '@tidegate/core';
import type { SendOutcome, TracedSpan, TraceSender } from '@tidegate/outbound';
import { cleanAttributes, type SpanName } from '@tidegate/runtime';
import { type CorrelatedGroup, type FoundObservation, findObservations, type Sql } from '@tidegate/store';

/** Tells what the rooms did as traces. Nothing waits for it, and nothing fails with it. */
export interface Traces {
  correlated(groups: readonly CorrelatedGroup[]): void;
  verified(run: TracedRun, verdict: Verdict, layers: readonly LayerResult[], durationMs: number): void;
  /** @param startedAtMs epoch milliseconds */
  attempted(callback: string, outcome: SendOutcome, startedAtMs: number): void;
  /** Resolves when all that was told is sent, or after a moment without the rest. */
  close(): Promise<void>;
}

interface TracedRun {
  readonly id: string;
  readonly service: string;
  readonly generation: number;
}

/** Where traces are off. */
export const NO_TRACES: Traces = {
  correlated: () => undefined,
  verified: () => undefined,
  attempted: () => undefined,
  close: () => Promise.resolve(),
};

/** What comes later than that after an observation is a trace of its own, which links to it: a re-check goes on for ever. */
const ONE_STORY_MS = 3_600_000;
/** A collector that hangs must not take the time in which the others that stop write down what they did. */
const CLOSE_WITHIN_MS = 1000;

/** Makes the teller. A trace is about one observation, whose id every room finds by what it works on. */
export function createTraces({ sql, sender }: { readonly sql: Sql; readonly sender: TraceSender }): Traces {
  const telling = new Set<Promise<void>>();
  const tell = (by: 'service' | 'group' | 'callback', names: string[], toSpans: (found: Found) => TracedSpan[]) => {
    const told = findObservations(sql, by, names)
      .then((found) => sender.send(toSpans(found)))
      .catch(() => undefined)
      .finally(() => telling.delete(told));
    telling.add(told);
  };
  return {
    correlated(groups) {
      const decidedAtMs = Date.now();
      const decided = groups.filter(({ decision }) => decision.decision !== 'wait');
      if (decided.length === 0) return;
      tell(
        'group',
        decided.map(({ group }) => group.alias),
        (found) => decided.flatMap((group) => tellGroup(group, found.get(group.group.alias), decidedAtMs)),
      );
    },
    verified(run, verdict, layers, durationMs) {
      const startMs = Date.now() - durationMs;
      tell('service', [run.service], (found) => {
        const place = placeIn(found.get(run.service), run.id, startMs);
        const fields = { ...run, verification: run.id, verdict, observation: place.observation };
        const failed = verdict !== 'healthy' && verdict !== 'inconclusive';
        const whole = makeSpan(
          'verify',
          { ...place, span: run.id, startMs, endMs: startMs + durationMs, failed },
          fields,
        );
        return [
          whole,
          ...layers.filter(({ outcome }) => outcome !== 'skipped').map((layer) => tellLayer(whole, layer)),
        ];
      });
    },
    attempted(callback, outcome, startMs) {
      tell('callback', [callback], (found) => {
        const at = found.get(callback);
        const place = placeIn(at, `${callback} ${startMs}`, startMs);
        const fields = { ...outcome, callback, service: at?.service, observation: place.observation };
        const endMs = startMs + outcome.latencyMs;
        const failed = outcome.phase !== 'answered' || (outcome.status ?? 0) >= 400;
        return [makeSpan('release', { ...place, span: `${callback} ${startMs}`, startMs, endMs, failed }, fields)];
      });
    },
    async close() {
      const closed = Promise.all(telling).then(() => sender.close());
      await Promise.race([closed, delay(CLOSE_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

type Found = ReadonlyMap<string, FoundObservation>;

interface Place extends Pick<TracedSpan, 'trace' | 'parent' | 'links'> {
  readonly observation: string | null;
}

/** In the trace of the observation while that is one story, else in a trace of its own that links to it. */
function placeIn(found: FoundObservation | undefined, own: string, startMs: number): Place {
  if (found === undefined) return { trace: own, parent: null, links: [], observation: null };
  const observation = observationId(found.key);
  if (startMs - found.receivedAt.getTime() > ONE_STORY_MS)
    return { trace: own, parent: null, links: [observation], observation };
  return { trace: observation, parent: observation, links: [], observation };
}

/** The observation itself, as the root of its trace, and the decision on it. */
function tellGroup(
  { decision, group, incidentId }: CorrelatedGroup,
  found: FoundObservation | undefined,
  decidedAtMs: number,
): TracedSpan[] {
  if (found === undefined) return [];
  const observation = observationId(found.key);
  const receivedMs = found.receivedAt.getTime();
  const common = { trace: observation, links: [], failed: false, startMs: receivedMs };
  const fields = { observation, group: group.alias, incident: incidentId, ...decision };
  const endMs = Math.max(receivedMs, decidedAtMs);
  return [
    makeSpan('record', { ...common, span: observation, parent: null, endMs: receivedMs }, fields),
    makeSpan('correlate', { ...common, span: `correlate ${decidedAtMs}`, parent: observation, endMs }, fields),
  ];
}

function tellLayer(whole: TracedSpan, layer: LayerResult): TracedSpan {
  const { trace, span: parent, startMs } = whole;
  const endMs = startMs + (layer.latencyMs ?? 0);
  const failed = layer.outcome === 'fail';
  const span = `${parent} ${layer.layer}`;
  return makeSpan('layer', { trace, parent, span, links: [], startMs, endMs, failed }, { ...layer });
}

function makeSpan(
  name: SpanName,
  { trace, span, parent, links, startMs, endMs, failed }: Omit<TracedSpan, 'name' | 'attributes'>,
  fields: Readonly<Record<string, unknown>>,
): TracedSpan {
  return { name, trace, span, parent, links, startMs, endMs, failed, attributes: cleanAttributes(name, fields) };
}
