import type { Gate } from '@tidegate/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { createGateReader, type Gates } from './gate-reader.ts';

/** Reads that end when told to; each answers with the number of the read, as a generation. */
function controlledReads() {
  const begun: { names: readonly string[] | null; end(): void; fail(error: Error): void }[] = [];
  const reader = createGateReader((names) => {
    const generation = begun.length + 1;
    return new Promise<Gates>((resolve, reject) => {
      const gates = new Map((names ?? ['all']).map((name) => [name, { service: name, generation } as Gate]));
      begun.push({ names, end: () => resolve(gates), fail: reject });
    });
  });
  return { reader, begun };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the gate reader', () => {
  it('reads at once when no read is under way', () => {
    const { reader, begun } = controlledReads();
    void reader.read(['a']);
    expect(begun.map(({ names }) => names)).toEqual([['a']]);
  });

  it(verifies('I2', 'who asks during a read is answered from the next one'), async () => {
    const { reader, begun } = controlledReads();
    const first = reader.read(['a']);
    const second = reader.read(['a']);
    const third = reader.read(['b']);
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    expect((await first).get('a')?.generation).toBe(1);
    await turn();
    expect(begun.map(({ names }) => names)).toEqual([['a'], ['a', 'b']]);
    begun[1]?.end();
    expect((await second).get('a')?.generation).toBe(2);
    expect((await third).get('b')?.generation).toBe(2);
  });

  it('reads all gates when one of a batch asks for all', async () => {
    const { reader, begun } = controlledReads();
    void reader.read(['a']);
    void reader.read(['b']);
    void reader.read(null);
    void reader.read(['c']);
    begun[0]?.end();
    await turn();
    expect(begun[1]?.names).toBeNull();
  });

  it('fails only those of the failed read, and goes on', async () => {
    const { reader, begun } = controlledReads();
    const first = reader.read(['a']);
    const second = reader.read(['a']);
    begun[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    begun[1]?.end();
    expect((await second).get('a')?.generation).toBe(2);
  });

  it(verifies('I2', 'no answer comes from a read that began before its question, in any order of events'), async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('ask', 'end', 'turn'), { maxLength: 60 }), async (events) => {
        const { reader, begun } = controlledReads();
        let ended = 0;
        const answers: Promise<{ askedAfterReads: number; readNumber: number }>[] = [];
        for (const event of events) {
          if (event === 'ask') {
            const askedAfterReads = begun.length;
            answers.push(
              reader.read(['a']).then((gates) => ({ askedAfterReads, readNumber: gates.get('a')?.generation ?? 0 })),
            );
          } else if (event === 'end' && ended < begun.length) {
            begun[ended]?.end();
            ended += 1;
          } else await turn();
        }
        for (await turn(); ended < begun.length; await turn()) {
          begun[ended]?.end();
          ended += 1;
        }
        for (const { askedAfterReads, readNumber } of await Promise.all(answers)) {
          expect(readNumber).toBeGreaterThan(askedAfterReads);
        }
      }),
    );
  });
});
