import type { Gate } from '@tidegate/client';
import type { GateReader } from './gate-reader.ts';
import { gateTag, matchesTag } from './gate-tag.ts';
import type { GateWatcher } from './gate-watcher.ts';

export interface GateQuestion {
  readonly service: string;
  /** How long a change may be waited for, in milliseconds; undefined answers at once. */
  readonly waitMs: number | undefined;
  /** The generation the caller knows. */
  readonly generation: number | undefined;
  /** The `If-None-Match` header. */
  readonly noneMatch: string | undefined;
  /** The signal that aborts when the client is gone; made only for who waits, since it costs more than the answer. */
  readonly client: () => AbortSignal;
}

export type GateAnswer =
  | { readonly kind: 'found'; readonly gate: Gate; readonly tag: string }
  | { readonly kind: 'unchanged'; readonly tag: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'disconnected' };

/**
 * Answers one question about a gate. Asked to wait, it answers as soon as decision, state or generation differ from what
 * the caller knows (else: from what they were when they asked), and with what they are once the time is over. Throws as the
 * store does.
 */
export async function findGate(
  { gates, watcher }: { readonly gates: GateReader; readonly watcher: GateWatcher },
  question: GateQuestion,
): Promise<GateAnswer> {
  const now = await readGate(gates, question);
  if (now === undefined) return { kind: 'unknown' };
  if (question.waitMs === undefined || isNews(now, question)) return tell(now, question);
  const end = await watcher.wait(question.service, now, { waitMs: question.waitMs, client: question.client() });
  switch (end.kind) {
    case 'changed':
      return tell(end.gate, question);
    case 'gone':
      return { kind: 'unknown' };
    case 'disconnected':
      return { kind: 'disconnected' };
    case 'expired':
    case 'stopped': {
      const last = await readGate(gates, question);
      return last === undefined ? { kind: 'unknown' } : tell(last, question);
    }
  }
}

async function readGate(gates: GateReader, { service }: GateQuestion): Promise<Gate | undefined> {
  return (await gates.read([service])).get(service);
}

function isNews(gate: Gate, { generation, noneMatch }: GateQuestion): boolean {
  if (noneMatch !== undefined && !matchesTag(noneMatch, gateTag(gate))) return true;
  return generation !== undefined && generation !== gate.generation;
}

function tell(gate: Gate, { noneMatch }: GateQuestion): GateAnswer {
  const tag = gateTag(gate);
  if (noneMatch !== undefined && matchesTag(noneMatch, tag)) return { kind: 'unchanged', tag };
  return { kind: 'found', gate, tag };
}
