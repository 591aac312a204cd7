import { listMisnamed } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Makes what tells the owner of services whose device has another name in Localtonet, or none: it was renamed, or mistyped.
 * Each is a line when it becomes so, and a metric counts them.
 */
export function createNameCheck({
  sql,
  log,
  metrics,
}: Pick<WorkerContext, 'sql' | 'log' | 'metrics'>): () => Promise<void> {
  let told = new Map<string, boolean>();
  return async () => {
    const misnamed = await listMisnamed(sql);
    metrics.set('correlate.misnamed', {}, misnamed.length);
    for (const { service, kept } of misnamed)
      if (told.get(service) !== kept) log.warn('service.misnamed', { service, kept });
    told = new Map(misnamed.map(({ service, kept }) => [service, kept]));
  };
}
