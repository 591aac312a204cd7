import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDegraded } from './read-degraded.ts';

const read = (value: unknown) => readDegraded(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

describe('readDegraded', () => {
  it('names the dependencies that are not ok', () => {
    expect(read({ status: 'degraded', dependencies: { db: 'ok', cache: 'degraded', llm: 'down' } })).toEqual([
      'cache',
      'llm',
    ]);
    expect(read({ status: 'degraded' })).toEqual([]);
  });

  it('is silent about anything that does not call itself degraded', () => {
    for (const body of [
      'ok',
      '',
      '{',
      'null',
      '[]',
      { status: 'ok', dependencies: { db: 'down' } },
      { status: 'DEGRADED' },
    ]) {
      expect(read(body)).toBeNull();
    }
  });

  it('never throws, whatever the body', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readDegraded(Buffer.from(bytes))));
    fc.assert(fc.property(fc.json(), (body) => void readDegraded(Buffer.from(body))));
  });
});
