import { BUCKET_MS, type Queue, type Room } from '@tidegate/queue';

/**
 * Sets alarms, each bucket of a room once: while the queue holds a bucket's job, setting it again changes nothing, and under load
 * nearly every commit would ask for it. Who asks for a held bucket gets the one after it as well, since a worker whose clock is
 * ahead may have served the first already. What could not be set is asked for again.
 */
export function createAlarmSetter(queue: Pick<Queue, 'publish'>, now: () => number) {
  const held: Record<Room, Set<number>> = {
    correlate: new Set(),
    verify: new Set(),
    release: new Set(),
    notify: new Set(),
  };
  return (room: Room, dues: readonly Date[]): void => {
    if (dues.length === 0) return;
    const buckets = held[room];
    const next = (Math.floor(now() / BUCKET_MS) + 1) * BUCKET_MS;
    for (const bucket of buckets) if (bucket < next) buckets.delete(bucket);
    const fresh = new Set<number>();
    for (const due of dues) {
      const bucket = Math.max(Math.ceil(due.getTime() / BUCKET_MS) * BUCKET_MS, next);
      const wanted = buckets.has(bucket) ? bucket + BUCKET_MS : bucket;
      if (!buckets.has(wanted)) fresh.add(wanted);
    }
    if (fresh.size === 0) return;
    for (const bucket of fresh) buckets.add(bucket);
    queue.publish([...fresh].map((dueAtMs) => ({ room, dueAtMs }))).catch(() => {
      for (const bucket of fresh) buckets.delete(bucket);
    });
  };
}
