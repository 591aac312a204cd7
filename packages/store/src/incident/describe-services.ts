import type { GateReason, Layer, Verdict } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { DatedEvent } from './add-timeline.ts';

/** A fleet's worth of services would bury the line that matters. */
const MOST_SERVICES_TOLD = 10;

/** What an opening found: which gates are held and why, and where their last verification failed. */
export async function describeServices(
  tx: Transaction,
  incidentId: string,
  serviceIds: readonly number[],
): Promise<DatedEvent[]> {
  const rows = await tx<
    {
      service: string;
      reason: GateReason;
      since: Date;
      finishedAt: Date | null;
      verdict: Verdict | null;
      firstBroken: Layer | null;
    }[]
  >`
    select s.name as service, g.reason, g.since, v.finished_at, v.verdict, v.first_broken
    from service s join gate g on g.service_id = s.id
    left join lateral (
      select verdict, first_broken, finished_at from verification v
      where v.service_id = s.id and v.generation = g.generation and not v.passed order by v.started_at desc limit 1
    ) v on true
    where s.id = any(${[...serviceIds]}::int[]) and g.state in ('held', 'verifying')
    order by s.name limit ${MOST_SERVICES_TOLD}`;
  const broken = rows.find((row) => row.firstBroken !== null)?.firstBroken ?? null;
  if (broken !== null) await tx`update incident set first_broken = ${broken} where id = ${incidentId}`;
  return rows.flatMap(({ service, reason, since, verdict, firstBroken, finishedAt }): DatedEvent[] => [
    { event: { event: 'gate.held', service, reason }, at: since },
    ...(verdict === null || finishedAt === null
      ? []
      : [{ event: { event: 'verification.failed', service, verdict, firstBroken } as const, at: finishedAt }]),
  ]);
}
