import { expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { chooseSyncMethod, serverSettings } from './server-settings.ts';

it.each([
  ['linux', '6.1.0-18-amd64', 'syncfs'],
  ['linux', '5.8.0', 'syncfs'],
  ['linux', '5.4.0-generic', 'fsync'],
  ['linux', 'unknown', 'fsync'],
  ['darwin', '23.1.0', 'fsync'],
] as const)('syncs a crashed folder on %s %s by %s', (platform, kernel, method) => {
  expect(chooseSyncMethod(platform, kernel)).toBe(method);
});

it(verifies('I1', 'asks macOS for a sync that reaches the disk itself'), () => {
  expect(serverSettings({ port: 1, fsync: true, platform: 'darwin' })).toContain('wal_sync_method=fsync_writethrough');
  expect(serverSettings({ port: 1, fsync: true, platform: 'linux' }).join(' ')).not.toContain('wal_sync_method');
});
