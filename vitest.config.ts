import { defineConfig } from 'vitest/config';

/** Workspace packages resolve to their source, so that nothing has to be built for a test of one package. */
const fromSource = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'], externalConditions: ['source', 'node'] } },
};

/** Test files at a time, also where there are just two cores: many of them wait more than they compute. */
const WORKERS = 3;

/** These start every process of Tidegate from `dist`, so they come last and not all at once. */
const SYSTEM = ['test/{e2e,faults}/**/*.test.ts'];
const INTEGRATION = ['test/integration/**/*.test.ts'];

export default defineConfig({
  test: {
    // Of the run as a whole: the projects share its servers.
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      {
        ...fromSource,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.{ts,tsx}', 'apps/*/{src,test}/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...INTEGRATION, ...SYSTEM],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: WORKERS,
        },
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
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
