import { leadsTo } from '@tidegate/core';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Looks, after each poll, whether webhooks would come in through a tunnel that this account lists: when it breaks, the webhook
 * that should say so cannot arrive. A config can be refused for naming such a host itself; what only the API tells is said
 * once, and again after it was otherwise.
 */
export function createWayInCheck({ config, log }: Pick<WorkerContext, 'config' | 'log'>) {
  const { publicUrl, allowSelfDependency } = config.receiver;
  let told = 0;
  return (tunnelUrls: readonly string[]): void => {
    if (publicUrl === null || allowSelfDependency) return;
    const tunnels = tunnelUrls.filter((url) => leadsTo(url, publicUrl)).length;
    if (tunnels > 0 && told === 0) log.warn('receiver.behind_tunnel', { tunnels });
    told = tunnels;
  };
}
