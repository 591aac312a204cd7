import type { ParsedConfig } from './config-schema.ts';
import type { PathIssue } from './describe-issue.ts';
import { formatKeyPath } from './key-path.ts';

/**
 * Refuses a receiver that is reached through what it watches: when that tunnel breaks, the webhook that should say so
 * cannot arrive. Seen by the host of `receiver.publicUrl`, which is then also the host of a probe through the tunnel, or of a
 * local one that the worker can only reach through it. This machine itself is behind no tunnel, so a local probe may ask it.
 */
export function checkSelfDependency({ receiver, services }: ParsedConfig): PathIssue[] {
  const own = hostOf(receiver.publicUrl);
  if (own === null || receiver.allowSelfDependency) return [];
  const through = services.flatMap(({ probes }, index) =>
    (['liveness', 'readiness', 'public', 'application'] as const)
      .filter((layer) => hostOf(probes[layer]?.url) === own && !(isLocal(layer) && LOOPBACK.test(own)))
      .map((layer) => formatKeyPath(['services', index, 'probes', layer, 'url'])),
  );
  if (through.length === 0) return [];
  return [
    {
      path: ['receiver', 'publicUrl'],
      message: `has the host of ${through.join(', ')}: webhooks would arrive through what they report on; use another way in, or set receiver.allowSelfDependency: true`,
    },
  ];
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function isLocal(layer: string): boolean {
  return layer === 'liveness' || layer === 'readiness';
}

/** Null for no URL, and for one that holds a reference which another app resolves. */
function hostOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, '');
}
