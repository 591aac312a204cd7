import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { createGroupCommitter } from './group-committer.ts';

interface Commit {
  readonly batch: readonly number[];
  readonly settle: (results: readonly number[]) => void;
  readonly fail: (error: Error) => void;
}

/** A committer whose commits wait to be settled by the test. */
function watched(options: { maxBatch?: number; maxWaiting?: number } = {}) {
  const commits: Commit[] = [];
  const committer = createGroupCommitter<number, number>({
    commit: (batch) =>
      new Promise((resolve, reject) => {
        commits.push({ batch, settle: resolve, fail: reject });
      }),
    maxBatch: options.maxBatch ?? 100,
    maxWaiting: options.maxWaiting ?? 100,
    onOverload: () => Promise.reject(new Error('overloaded')),
  });
  return { committer, commits };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('the group committer', () => {
  it(verifies('I1', 'answers nobody before the commit that holds the delivery is done'), async () => {
    const { committer, commits } = watched();
    let answered = false;
    const answer = committer.submit(1).then((result) => {
      answered = true;
      return result;
    });
    await soon();
    expect(commits).toHaveLength(1);
    expect(answered).toBe(false);
    commits[0]?.settle([10]);
    expect(await answer).toBe(10);
  });

  it('lets what arrives during a commit share the next one, each with its own result', async () => {
    const { committer, commits } = watched();
    const first = committer.submit(1);
    await soon();
    const others = [2, 3, 4].map((item) => committer.submit(item));
    await soon();
    expect(commits.map((commit) => commit.batch)).toEqual([[1]]);
    commits[0]?.settle([10]);
    expect(await first).toBe(10);
    await soon();
    expect(commits[1]?.batch).toEqual([2, 3, 4]);
    commits[1]?.settle([20, 30, 40]);
    expect(await Promise.all(others)).toEqual([20, 30, 40]);
  });

  it('fails a batch that failed, and goes on with the next', async () => {
    const { committer, commits } = watched({ maxBatch: 1 });
    const first = committer.submit(1).catch((error: Error) => error.message);
    const second = committer.submit(2);
    await soon();
    commits[0]?.fail(new Error('the store is away'));
    expect(await first).toBe('the store is away');
    await soon();
    commits[1]?.settle([20]);
    expect(await second).toBe(20);
    await committer.drained();
  });

  it('refuses what it cannot hold rather than letting memory grow', async () => {
    const { committer, commits } = watched({ maxWaiting: 2 });
    const held = [1, 2].map((item) => committer.submit(item));
    await expect(committer.submit(3)).rejects.toThrow('overloaded');
    await soon();
    commits[0]?.settle([10, 20]);
    expect(await Promise.all(held)).toEqual([10, 20]);
  });

  it('has one commit in flight at a time, within its size, and gives each item its own result in order', async () => {
    const waves = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(waves, fc.integer({ min: 1, max: 5 }), fc.func(fc.boolean()), async (sizes, maxBatch, fails) => {
        let inFlight = 0;
        const committed: number[] = [];
        const committer = createGroupCommitter<number, string>({
          commit: async (batch) => {
            inFlight += 1;
            expect(inFlight).toBe(1);
            expect(batch.length).toBeLessThanOrEqual(maxBatch);
            await soon();
            inFlight -= 1;
            if (fails(batch)) throw new Error(`lost ${batch.join()}`);
            committed.push(...batch);
            return batch.map((item) => `result ${item}`);
          },
          maxBatch,
          maxWaiting: 1000,
          onOverload: () => Promise.reject(new Error('overloaded')),
        });
        const answers: Promise<string | null>[] = [];
        for (const size of sizes) {
          for (let made = 0; made < size; made += 1) answers.push(committer.submit(answers.length).catch(() => null));
          await soon();
        }
        const results = await Promise.all(answers);
        await committer.drained();
        expect(committed).toEqual(results.flatMap((result, item) => (result === null ? [] : [item])));
        for (const item of committed) expect(results[item]).toBe(`result ${item}`);
      }),
      { numRuns: 50 },
    );
  });
});
