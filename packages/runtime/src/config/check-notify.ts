import type { ParsedConfig } from './config-schema.ts';
import type { PathIssue } from './describe-issue.ts';
import type { KeyPath } from './key-path.ts';

/** What the schema cannot see of channels and routes: names that must exist, and credentials that must be whole and covered. */
export function checkNotify({ notify, services }: ParsedConfig): PathIssue[] {
  const routed = (notify.routes ?? []).flatMap((route, index): PathIssue[] => {
    const path = ['notify', 'routes', index];
    return [
      ...unknownNames(route.channels, Object.keys(notify.channels), [...path, 'channels'], 'notify.channels'),
      ...unknownNames(
        route.services ?? [],
        services.map(({ name }) => name),
        [...path, 'services'],
        'services',
      ),
    ];
  });
  const { retry } = notify;
  const tooLong =
    retry.maxDelay < retry.baseDelay || retry.maxElapsed < retry.baseDelay
      ? [{ path: ['notify', 'retry', 'baseDelay'], message: 'must not be longer than maxDelay and maxElapsed' }]
      : [];
  return [...routed, ...tooLong, ...Object.keys(notify.channels).flatMap((name) => checkMail(notify, name))];
}

function unknownNames(names: readonly string[], known: readonly string[], path: KeyPath, section: string): PathIssue[] {
  return names.flatMap((name, index) =>
    known.includes(name) ? [] : [{ path: [...path, index], message: `names no entry of ${section}` }],
  );
}

function checkMail(notify: ParsedConfig['notify'], name: string): PathIssue[] {
  const channel = notify.channels[name];
  if (channel?.type !== 'smtp') return [];
  const path = ['notify', 'channels', name];
  if ((channel.user === undefined) !== (channel.password === undefined)) {
    return [{ path, message: 'needs both a user and a password, or neither' }];
  }
  if (channel.password !== undefined && channel.security === 'none') {
    return [
      { path: [...path, 'security'], message: 'must be starttls or tls: a password would be readable on the way' },
    ];
  }
  return [];
}
