import { isShipped, isTest, type SourceFile } from './read-house.ts';

const FORBIDDEN_WORD = /(^|[./-])(utils?|helpers?|commons?|managers?)([./-]|$)/i;
const KEBAB_FILE = /^(\[?[a-z0-9]+(-[a-z0-9]+)*\]?)(\.[a-z0-9-]+)+$/;
const SWITCHED_OFF =
  /oxlint-disable|eslint-disable|biome-ignore|@ts-(ignore|expect-error|nocheck)|@boundaries-ignore|\bTODO\b|\bFIXME\b/;

/** Judges what one file must hold by itself: its name, its length, no rule switched off, no test left out. */
export function judgeFile(file: SourceFile): string[] {
  const name = file.path.split('/').at(-1) ?? '';
  const limit = isTest(file.path) ? 600 : 300;
  return [
    ...when(file.lines > limit, `${file.lines} lines, at most ${limit}`),
    ...when(FORBIDDEN_WORD.test(file.path), 'name what it does instead of utils, helpers, common, manager'),
    ...when(!KEBAB_FILE.test(name), 'file names are kebab-case'),
    ...file.comments
      .filter((comment) => SWITCHED_OFF.test(comment))
      .map((comment) => `switches a rule off or puts work off: ${comment}`),
    ...judgeProcess(file),
    ...(isTest(file.path) ? judgeTest(file) : []),
    ...(isCore(file) ? judgeCore(file) : []),
  ].map((why) => `${file.path}: ${why}`);
}

const isCore = (file: SourceFile) => file.path.startsWith('packages/core/') && isShipped(file.path);
const when = (broken: boolean, why: string) => (broken ? [why] : []);

// `(?<!(?<!\.\.)\.)` lets a spread through: `child.process` is a property, `...process` is the process.
const PROCESS = /(?<![\w$])(?<!(?<!\.\.)\.)process\s*(\?\.|\.|\[)|\bglobalThis\s*\??\.\s*process\b/;
const ENVIRONMENT =
  /(?<![\w$])(?<!(?<!\.\.)\.)process\s*(\?\.|\.)\s*env\b|(?<![\w$])(?<!(?<!\.\.)\.)process\s*\[|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/;

/** The environment is read in one folder; signals, exit codes and the platform are the business of two packages. */
function judgeProcess(file: SourceFile): string[] {
  if (!isShipped(file.path)) return [];
  const readsEnvironment = ENVIRONMENT.test(file.code) && !file.path.startsWith('packages/runtime/src/config/');
  const usesProcess = PROCESS.test(file.code) && !/^packages\/(runtime|embedded)\/src\//.test(file.path);
  return [
    ...when(readsEnvironment, 'process.env is read in packages/runtime/src/config only'),
    ...when(usesProcess, 'process belongs to packages/runtime (and the platform to packages/embedded)'),
    ...when(
      !file.path.startsWith('apps/cli/') && /(?<![\w$])(?<!(?<!\.\.)\.)console\s*\./.test(file.code),
      'only apps log, and only the cli prints',
    ),
  ];
}

const LEFT_OUT =
  /\b(it|test|describe|suite|bench)\b(\s*\.\s*\w+)*\s*\.\s*(only|skip|todo|fails|skipIf|runIf)\b|\b(xit|xdescribe|xtest|fit|fdescribe)\s*\(/;

function judgeTest(file: SourceFile): string[] {
  return when(LEFT_OUT.test(file.code), 'a test is left out, or leaves the others out');
}

const IMPURE: ReadonlyArray<[pattern: RegExp, what: string]> = [
  [/\bDate\s*(\.\s*now|\[)/, 'reads the clock'],
  [/\bnew\s+Date\b(?!\s*\()|\bnew\s+Date\s*\(\s*\)/, 'reads the clock'],
  [/(?<!\bnew\s+)(?<![\w$])(?<!(?<!\.\.)\.)Date\s*\(/, 'reads the clock'],
  [/\{[^{}]*\bnow\b[^{}]*\}\s*=\s*Date\b/, 'reads the clock'],
  [
    /\bDate\s*\.\s*parse\b|\.\s*(get|set)(?!UTC|Time\b)(FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|Timezone\w*)\s*\(/,
    'reads the local time zone',
  ],
  [/\bMath\s*(\.\s*random|\[)/, 'rolls dice'],
  [/(?<![\w$])(?<!(?<!\.\.)\.)(fetch|setTimeout|setInterval|setImmediate|queueMicrotask)\s*\(/, 'acts on the world'],
  [
    /(?<![\w$])(?<!(?<!\.\.)\.)(XMLHttpRequest|WebSocket|EventSource|performance|crypto|globalThis|global)\b(?!\s*[?]?:)/,
    'reaches for a global',
  ],
];

/** Core decides from what it is handed: no clock, no chance, no network, no environment. */
function judgeCore(file: SourceFile): string[] {
  return IMPURE.filter(([pattern]) => pattern.test(file.code)).map(([, what]) => `core ${what}`);
}

const TOP_LEVEL_FOLDERS = ['apps', 'packages', 'infra', 'test'];
const TOP_LEVEL_FILES =
  /^(LICENSE|[A-Z]+\.md|\.?[a-z][a-z.-]*\.(json|jsonc|yaml|cjs|ts)|\.(gitignore|gitattributes|nvmrc|editorconfig|dockerignore))$/;
const TOP_LEVEL_HIDDEN = ['.ci'];

/** The top level is fixed: four folders, the documents of the house, and the configuration of tools. */
export function judgeTopLevel(paths: string[]): string[] {
  const folders = paths
    .filter((path) => path.endsWith('/') && path.indexOf('/') === path.length - 1)
    .map((path) => path.slice(0, -1));
  const files = paths.filter((path) => !path.includes('/'));
  return [
    ...folders
      .filter((name) => ![...TOP_LEVEL_FOLDERS, ...TOP_LEVEL_HIDDEN].includes(name))
      .map((name) => `${name}/: no such room in the house`),
    ...TOP_LEVEL_FOLDERS.filter((name) => !folders.includes(name)).map((name) => `${name}/: missing`),
    ...files
      .filter((name) => !TOP_LEVEL_FILES.test(name))
      .map((name) => `${name}: neither a document nor the configuration of a tool`),
  ];
}
