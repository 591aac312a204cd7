import { createHash } from 'node:crypto';
import type { ApiKeyRow } from '@tidegate/store';
import { describe, expect, it } from 'vitest';
import { createKeyFinder, REMEMBER_MS } from './key-finder.ts';
import { parseBearerKey } from './parse-bearer-key.ts';

const row = { id: 'key_1', scopes: ['gate:read'] } as unknown as ApiKeyRow;

function finder(answer: () => Promise<ApiKeyRow | null>) {
  const clock = { ms: 0 };
  const lookUps: string[] = [];
  const keys = createKeyFinder({
    hash: (key) => createHash('sha256').update(key).digest(),
    lookUp: (hash) => {
      lookUps.push(hash.toString('hex'));
      return answer();
    },
    nowMs: () => clock.ms,
  });
  return { keys, clock, lookUps };
}

describe('the key finder', () => {
  it('remembers a live key for a while, from the start of its look-up', async () => {
    const { keys, clock, lookUps } = finder(async () => row);
    expect(await keys.find('a')).toBe(row);
    clock.ms = REMEMBER_MS - 1;
    expect(await keys.find('a')).toBe(row);
    expect(lookUps).toHaveLength(1);
    clock.ms = REMEMBER_MS;
    await keys.find('a');
    expect(lookUps).toHaveLength(2);
  });

  it('looks a refused key up each time, once', async () => {
    const { keys, lookUps } = finder(async () => null);
    expect(await keys.find('a')).toBeNull();
    expect(await keys.find('a')).toBeNull();
    expect(lookUps).toHaveLength(2);
  });

  it('does not remember a failure', async () => {
    const answers = [Promise.reject(new Error('away')), Promise.resolve(row)];
    const { keys } = finder(() => answers.shift() ?? Promise.resolve(null));
    await expect(keys.find('a')).rejects.toThrow('away');
    expect(await keys.find('a')).toBe(row);
  });

  it('shares a look-up among those who ask at the same time', async () => {
    const { keys, lookUps } = finder(async () => row);
    await Promise.all(Array.from({ length: 20 }, () => keys.find('a')));
    expect(lookUps).toHaveLength(1);
  });

  it('tells keys apart, and forgets the oldest of too many', async () => {
    const { keys, lookUps } = finder(async () => row);
    for (let n = 0; n < 1001; n += 1) await keys.find(`key ${n}`);
    expect(lookUps).toHaveLength(1001);
    await keys.find('key 1000');
    expect(lookUps).toHaveLength(1001);
    await keys.find('key 0');
    expect(lookUps).toHaveLength(1002);
  });
});

describe('parseBearerKey', () => {
  const key = `tdg_${'a2'.repeat(20)}`;

  it('takes a key after the scheme in any case', () => {
    for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`])
      expect(parseBearerKey(header)).toBe(key);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer tdg_',
    key,
    `Basic ${key}`,
    `Bearer ${key} `,
    `Bearer ${key}, Bearer ${key}`,
    `Bearer TDG_${'a2'.repeat(20)}`,
    `Bearer tdg_${'a'.repeat(129)}`,
    `Bearer tdg_${'a'.repeat(20)}\u0000`,
  ])('takes nothing else: %j', (header) => expect(parseBearerKey(header)).toBeNull());
});
