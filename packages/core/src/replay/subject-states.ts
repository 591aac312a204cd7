import { findTransitions, type ReportedStatus } from '../correlate/find-transitions.ts';
import type { Member } from '../correlate/group-decision.ts';
import { weighConnectivity } from '../correlate/weigh-connectivity.ts';
import { EMPTY_VIEW, foldView, type View } from '../record/fold-view.ts';
import type { ReplayObservation, ReplaySubject } from './replay-model.ts';

const TICKS_PER_MS = 10_000n;

interface SubjectState {
  view: View;
  observedAt: number;
  lastUpAt: number;
  /** The latest report received; Disconnected of two received at once. */
  lastReported: 'connected' | 'disconnected' | null;
  readonly reported: ReportedStatus[];
}

/** What the simulated Tidegate knows of every subject. */
export class SubjectStates {
  readonly #states = new Map<string, SubjectState>();

  /** Folds one observation, as recording does. */
  observe(observation: ReplayObservation): void {
    const state = this.#of(observation.subject);
    state.view = foldView(state.view, observation);
    const sameMoment = state.observedAt === observation.receivedAt && state.lastReported === 'disconnected';
    if (observation.receivedAt >= state.observedAt && !sameMoment) state.lastReported = observation.status;
    state.observedAt = Math.max(state.observedAt, observation.receivedAt);
    if (observation.status === 'connected') state.lastUpAt = Math.max(state.lastUpAt, observation.receivedAt);
    const { ticks, receivedAt, status } = observation;
    const at = ticks === null ? null : Number(ticks) / Number(TICKS_PER_MS);
    state.reported.push({ at, receivedAt, status });
  }

  isDown(alias: string): boolean {
    const { view, observedAt } = this.#of(alias);
    const latest = view.latest === null ? null : { status: view.latest.status, knownAt: observedAt, answered: false };
    const { status } = weighConnectivity({ view: latest, suspectDisconnected: view.suspectDisconnected, poll: null });
    return status === 'disconnected';
  }

  /** Whether a verification would pass: it is up, or only suspect and reported as connected since. */
  isBack(alias: string): boolean {
    const { view, lastReported } = this.#of(alias);
    return view.latest?.status !== 'disconnected' && (!view.suspectDisconnected || lastReported === 'connected');
  }

  /** A verification passed: nothing is suspect any more. */
  clear(alias: string): void {
    const state = this.#of(alias);
    state.view = { ...state.view, suspectDisconnected: false, suspectConnected: false };
  }

  toMember({ alias, type, name }: ReplaySubject, down: boolean): Member {
    const { view, observedAt } = this.#of(alias);
    const since = view.latest === null ? observedAt : Number(view.latest.ticks / TICKS_PER_MS);
    return { alias, type, name, down, since, observedAt };
  }

  transitions(alias: string): number[] {
    return findTransitions(this.#of(alias).reported);
  }

  /** Whether it was reported as connected after `time` (epoch ms); never when that is not known. */
  wasUpSince(alias: string, time: number | undefined): boolean {
    return time !== undefined && this.#of(alias).lastUpAt > time;
  }

  /** When it was last reported on (epoch ms); 0 before that. */
  lastObserved(alias: string): number {
    return this.#of(alias).observedAt;
  }

  #of(alias: string): SubjectState {
    const known = this.#states.get(alias);
    if (known !== undefined) return known;
    const state: SubjectState = { view: EMPTY_VIEW, observedAt: 0, lastUpAt: 0, lastReported: null, reported: [] };
    this.#states.set(alias, state);
    return state;
  }
}
