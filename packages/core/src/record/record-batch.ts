import type { GateReason, GateState } from '../model/gate.ts';
import type { ConnectivityStatus, SubjectType } from '../model/subject.ts';
import { EMPTY_VIEW, foldView, type View } from './fold-view.ts';
import { isTrusted } from './is-trusted.ts';
import { shutsGate } from './shuts-gate.ts';

export interface RecordedDelivery {
  readonly deliveryId: string;
  readonly observationKey: string;
  readonly subjectId: number;
  readonly sourceId: number;
  readonly status: ConnectivityStatus;
  readonly ticks: bigint | null;
  readonly zone: 'utc' | 'offset' | 'assumed' | null;
}

export interface RecordTopology {
  readonly subjects: ReadonlyMap<
    number,
    { type: SubjectType; group: string; deviceId: number | null; linked: boolean }
  >;
  readonly services: ReadonlyMap<
    number,
    {
      group: string;
      deviceLinked: boolean;
      /** Its config names a device that no subject of the group was ever matched to. */
      namesUnknown: boolean;
      openAfterMs: number;
      maxWaitMs: number;
      verifyEveryMs: number;
    }
  >;
  /** Subject id → services whose gate its Disconnected shuts. */
  readonly dependencies: ReadonlyMap<number, ReadonlySet<number>>;
  readonly watchAll: ReadonlySet<number>;
}

export interface RecordGate {
  readonly state: GateState;
  readonly reason: GateReason;
  readonly generation: number;
  readonly sinceMs: number;
  readonly verifyDueAtMs: number | null;
  readonly verifyAttempt: number;
  readonly openedByStartedAtMs: number | null;
}

export interface RecordPending {
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly count: number;
  readonly disconnects: number;
  readonly dueAtMs: number;
}

export interface RecordState {
  readonly firstDelivery: ReadonlyMap<string, string>;
  readonly deliveries: ReadonlySet<string>;
  readonly views: ReadonlyMap<number, View>;
  readonly gates: ReadonlyMap<number, RecordGate>;
  readonly pending: ReadonlyMap<number, RecordPending>;
}

export interface RecordSettings {
  readonly skewBoundMs: number;
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
}

/**
 * What recording a batch means, as pure code: the reference that the SQL of the store is held to by a differential
 * property test. Given the state before, it answers the state after and, per delivery, whether it was a repeat.
 */
export function recordBatch(
  state: RecordState,
  topology: RecordTopology,
  batch: readonly RecordedDelivery[],
  settings: RecordSettings,
  nowMs: number,
): { state: RecordState; repeats: boolean[] } {
  const firstDelivery = new Map(state.firstDelivery);
  const views = new Map(state.views);
  const fresh = new Set<string>();
  for (const delivery of [...batch].sort((a, b) => compare(a.deliveryId, b.deliveryId))) {
    if (firstDelivery.has(delivery.observationKey)) continue;
    firstDelivery.set(delivery.observationKey, delivery.deliveryId);
    fresh.add(delivery.observationKey);
    const trusted = isTrusted(delivery.ticks, nowMs, settings.skewBoundMs);
    const input = { key: delivery.observationKey, status: delivery.status, ticks: delivery.ticks, trusted };
    views.set(delivery.subjectId, foldView(views.get(delivery.subjectId) ?? EMPTY_VIEW, input));
  }
  return {
    state: {
      firstDelivery,
      deliveries: new Set([...state.deliveries, ...batch.map((delivery) => delivery.deliveryId)]),
      views,
      gates: moveGates(state.gates, topology, batch, settings, nowMs),
      pending: armPending(state.pending, topology, batch, fresh, settings, nowMs),
    },
    repeats: batch.map((delivery) => firstDelivery.get(delivery.observationKey) !== delivery.deliveryId),
  };
}

/**
 * The services a delivery touches: by an edge; for a token not yet linked, all of the group that have no device either; and
 * for any device, those that name one which nobody has told of, since it may be that one under another name.
 */
export function servicesTouched(topology: RecordTopology, subjectId: number): ReadonlySet<number> {
  const touched = new Set(topology.dependencies.get(subjectId) ?? []);
  const subject = topology.subjects.get(subjectId);
  if (subject?.type === 'device') {
    for (const [id, { group, deviceLinked, namesUnknown }] of topology.services) {
      if (group === subject.group && !deviceLinked && (!subject.linked || namesUnknown)) touched.add(id);
    }
  }
  return touched;
}

function moveGates(
  gates: RecordState['gates'],
  topology: RecordTopology,
  batch: readonly RecordedDelivery[],
  settings: RecordSettings,
  nowMs: number,
): RecordState['gates'] {
  const moved = new Map(gates);
  for (const [serviceId, gate] of gates) {
    const touching = batch.filter((delivery) => servicesTouched(topology, delivery.subjectId).has(serviceId));
    const everyMs = topology.services.get(serviceId)?.verifyEveryMs ?? 0;
    const shuts = touching.some((delivery) => shutsGate(delivery, gate.openedByStartedAtMs, settings.skewBoundMs));
    const shut = shuts ? shutGate(gate, everyMs, nowMs) : gate;
    const wakes = touching.some((delivery) => delivery.status === 'connected');
    moved.set(serviceId, wakes ? wakeVerification(shut, nowMs) : shut);
  }
  return moved;
}

/**
 * Held under a new generation, for the reason of the delivery. Under a person's hand it keeps its reason, and one that is
 * forced open stays open (I2 exempts it); the new generation voids what was verified before, also then.
 */
function shutGate(gate: RecordGate, verifyEveryMs: number, nowMs: number): RecordGate {
  const heldByHand = gate.reason === 'held_by_hand';
  const forcedOpen = gate.reason === 'forced_open';
  const wasOpen = gate.state === 'open' || gate.state === 'releasing';
  return {
    state: forcedOpen ? gate.state : 'held',
    reason: heldByHand || forcedOpen ? gate.reason : 'disconnected',
    generation: gate.generation + 1,
    sinceMs: wasOpen && !forcedOpen ? nowMs : gate.sinceMs,
    verifyDueAtMs: heldByHand ? null : Math.min(gate.verifyDueAtMs ?? Number.POSITIVE_INFINITY, nowMs + verifyEveryMs),
    verifyAttempt: gate.verifyAttempt,
    openedByStartedAtMs: null,
  };
}

function wakeVerification(gate: RecordGate, nowMs: number): RecordGate {
  if (gate.state !== 'held' && gate.state !== 'verifying' && gate.reason !== 'forced_open') return gate;
  const due = gate.state !== 'verifying' && gate.reason !== 'held_by_hand' ? nowMs : gate.verifyDueAtMs;
  return { ...gate, verifyDueAtMs: due, verifyAttempt: 0 };
}

function armPending(
  pending: RecordState['pending'],
  topology: RecordTopology,
  batch: readonly RecordedDelivery[],
  fresh: ReadonlySet<string>,
  settings: RecordSettings,
  nowMs: number,
): RecordState['pending'] {
  const armed = new Map(pending);
  const groups = new Map<number, { count: number; disconnects: number }>();
  for (const delivery of batch) {
    if (delivery.status === 'connected' && !fresh.has(delivery.observationKey)) continue;
    const groupId = topology.subjects.get(delivery.subjectId)?.deviceId ?? delivery.subjectId;
    // A delivery nobody watches arms nothing and is not counted.
    if (!isWatched(topology, delivery, groupId)) continue;
    const group = groups.get(groupId) ?? { count: 0, disconnects: 0 };
    group.count += 1;
    if (delivery.status === 'disconnected') group.disconnects += 1;
    groups.set(groupId, group);
  }
  for (const [groupId, { count, disconnects }] of groups) {
    const { openAfterMs, maxWaitMs } = debounceOf(topology, groupId, settings);
    const row = armed.get(groupId);
    // A row without observations only waits to look again: this one starts the debounce.
    const before = row?.count === 0 ? undefined : row;
    const firstAtMs = before?.firstAtMs ?? nowMs;
    const lastAtMs = Math.max(before?.lastAtMs ?? nowMs, nowMs);
    armed.set(groupId, {
      firstAtMs,
      lastAtMs,
      count: (before?.count ?? 0) + count,
      disconnects: (before?.disconnects ?? 0) + disconnects,
      dueAtMs: Math.min(lastAtMs + openAfterMs, firstAtMs + maxWaitMs),
    });
  }
  return armed;
}

function isWatched(topology: RecordTopology, delivery: RecordedDelivery, groupId: number): boolean {
  if (topology.watchAll.has(delivery.sourceId)) return true;
  if (topology.dependencies.get(groupId)?.size) return true;
  return servicesTouched(topology, delivery.subjectId).size > 0;
}

function debounceOf(
  topology: RecordTopology,
  groupId: number,
  settings: RecordSettings,
): { openAfterMs: number; maxWaitMs: number } {
  const services = [...(topology.dependencies.get(groupId) ?? [])].flatMap((id) => topology.services.get(id) ?? []);
  if (services.length === 0) return { openAfterMs: settings.openAfterMs, maxWaitMs: settings.maxWaitMs };
  return {
    openAfterMs: Math.min(...services.map((service) => service.openAfterMs)),
    maxWaitMs: Math.min(...services.map((service) => service.maxWaitMs)),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
