import {
  acknowledgeIncident,
  createCallback,
  createSilence,
  endSilence,
  findApiKey,
  forceOpenGate,
  holdGate,
  listBlips,
  listCallbacks,
  listIncidents,
  listObservations,
  listReconciliationItems,
  listReconciliations,
  listSilences,
  listSubjects,
  noteIncident,
  orderCallback,
  ping,
  readCallback,
  readGates,
  readIncident,
  readReconciliation,
  readReview,
  releaseGate,
  resolveIncident,
  type Sql,
} from '@tidegate/store';
import { refuseForgedCursor } from './refuse-forged-cursor.ts';
import { withinDeadline } from './within-deadline.ts';

/** What the api asks of the store. Each call ends within the deadline, whatever the database does. */
export type ApiStore = ReturnType<typeof bindStore>;

/** Binds the store's functions to one pool. @param timeoutMs how long a call may take before it counts as unanswered */
export function bindStore(sql: Sql, timeoutMs: number) {
  const bound =
    <A extends unknown[], R>(call: (sql: Sql, ...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      withinDeadline(call(sql, ...args), timeoutMs);
  return {
    ping: bound(ping),
    findApiKey: bound(findApiKey),
    readGates: bound(readGates),
    listIncidents: refuseForgedCursor(bound(listIncidents)),
    readIncident: bound(readIncident),
    listBlips: refuseForgedCursor(bound(listBlips)),
    listObservations: refuseForgedCursor(bound(listObservations)),
    listSubjects: refuseForgedCursor(bound(listSubjects)),
    listCallbacks: refuseForgedCursor(bound(listCallbacks)),
    readCallback: bound(readCallback),
    createCallback: bound(createCallback),
    readReview: bound(readReview),
    orderCallback: bound(orderCallback),
    listReconciliations: refuseForgedCursor(bound(listReconciliations)),
    readReconciliation: bound(readReconciliation),
    listReconciliationItems: bound(listReconciliationItems),
    holdGate: bound(holdGate),
    forceOpenGate: bound(forceOpenGate),
    releaseGate: bound(releaseGate),
    acknowledgeIncident: bound(acknowledgeIncident),
    noteIncident: bound(noteIncident),
    resolveIncident: bound(resolveIncident),
    createSilence: bound(createSilence),
    endSilence: bound(endSilence),
    listSilences: refuseForgedCursor(bound(listSilences)),
  };
}
