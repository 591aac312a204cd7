import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Workspace packages resolve to their source, so that nothing has to be built for a test of one package. */
const fromSource = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source', 'node'] } },
};

/** Test files at a time, also where there are just two cores: many of them wait more than they compute. */
const WORKERS = 3;

/** These start every process of Tidegate from `dist`. */
const SYSTEM = ['test/{e2e,faults}/**/*.test.ts'];
/**
 * These need a process that no other file was in: they put a module or the timers of Node in place of others, which what is
 * loaded once would keep, or they look whether anything at all is still open.
 */
const APART = [
  'apps/api/src/gate/gate-watcher.test.ts',
  'apps/api/src/stream/already-sent.test.ts',
  'apps/api/src/stream/create-streams.test.ts',
  'apps/receiver/src/record/counted-line.test.ts',
  'packages/outbound/src/**/*.test.ts',
  'packages/vault/src/seal-side.test.ts',
];
const INTEGRATION = ['test/integration/**/*.test.ts'];

/** The longest come first: what is left at the end is short, and no worker waits long for another. */
const ORDER = ['system', 'integration', 'unit', 'apart'];

class LongestFirst extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specs);
    return sorted.toSorted((a, b) => ORDER.indexOf(a.project.name) - ORDER.indexOf(b.project.name));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Of the run as a whole: the projects share its servers.
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      {
        ...fromSource,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.{ts,tsx}', 'apps/*/{src,test}/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...APART, ...INTEGRATION, ...SYSTEM],
          environment: 'node',
          // To load everything anew for each file would be half of their time; what a file leaves behind is its fault.
          isolate: false,
          restoreMocks: true,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: WORKERS,
        },
      },
      {
        ...fromSource,
        test: { name: 'apart', include: APART, environment: 'node', maxWorkers: WORKERS },
      },
      {
        ...fromSource,
        test: {
          name: 'integration',
          include: INTEGRATION,
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: WORKERS,
        },
      },
      {
        ...fromSource,
        test: {
          name: 'system',
          include: SYSTEM,
          environment: 'node',
          testTimeout: 120_000,
          hookTimeout: 60_000,
          maxWorkers: WORKERS,
        },
      },
    ],
  },
});
