import type { CallbackDetail } from '@tidegate/store';

/** A callback as a person reads it: what it is, every attempt, and what reconciliation found. */
export function describeCallback(callback: CallbackDetail): string[] {
  const { id, state, reason, service, method, origin, safety, repeat, tries, reconciliation } = callback;
  return [
    `${id}  ${state}${reason === null ? '' : `  ${reason}`}`,
    `${method} ${origin} for ${service}: ${safety}, repeat ${repeat}`,
    describeTimes(callback),
    ...tries.map(describeAttempt),
    ...(reconciliation === null
      ? []
      : [
          `reconciliation ${reconciliation.id}: ${reconciliation.outcome}, ${reconciliation.reason}, then ${reconciliation.action}`,
        ]),
  ];
}

function describeTimes({ createdAt, dueAt, deadlineAt, finishedAt }: CallbackDetail): string {
  const later = [
    ['due', dueAt],
    ['deadline', deadlineAt],
    ['ended', finishedAt],
  ] as const;
  const told = later.flatMap(([word, at]) => (at === null ? [] : [`, ${word} ${at.toISOString()}`]));
  return `handed over ${createdAt.toISOString()}${told.join('')}`;
}

function describeAttempt(one: CallbackDetail['tries'][number]): string {
  const { number, startedAt, phase, reason, status, latencyMs, disprovedAt } = one;
  const end = [
    phase ?? 'under way',
    reason,
    status === null ? null : `status ${status}`,
    latencyMs === null ? null : `${latencyMs} ms`,
    disprovedAt === null ? null : 'had no effect, says a status lookup',
  ];
  return `attempt ${number}  ${startedAt.toISOString()}  ${end.filter((part) => part !== null).join('  ')}`;
}
