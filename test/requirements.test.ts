import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPaths, ROOT, readSources, type SourceFile, toSourceFile } from './architecture/read-house.ts';
import { NOT_YET_BUILT, REQUIREMENTS } from './requirements.ts';

interface Citation {
  id: string;
  path: string;
}

/** Finds `it(verifies('I5', …` and its kin; a citation in a comment, in a string or outside a test does not count. */
function listCitations(files: SourceFile[]): Citation[] {
  return files
    .filter((file) => /\.test\.tsx?$/.test(file.path))
    .flatMap((file) =>
      [
        ...file.code.matchAll(/(?:\b(?:it|test|describe)(?:\s*\.\s*\w+)*|\))\s*\(\s*verifies\(\s*((?:"\d+"\s*,\s*)+)/g),
      ].flatMap((match) =>
        [...(match[1] ?? '').matchAll(/"(\d+)"/g)].map((index) => ({
          id: file.strings[Number(index[1])] ?? '',
          path: file.path,
        })),
      ),
    );
}

interface Ledger {
  requirements: Readonly<Record<string, string>>;
  notYetBuilt: Readonly<Record<string, string>>;
}

function judgeCoverage(citations: Citation[], { requirements, notYetBuilt }: Ledger): string[] {
  const cited = new Set(citations.map((citation) => citation.id));
  return [
    ...Object.keys(requirements)
      .filter((id) => !cited.has(id) && !(id in notYetBuilt))
      .map((id) => `${id} is not proven by any test: ${requirements[id]}`),
    ...Object.keys(notYetBuilt)
      .filter((id) => cited.has(id))
      .map((id) => `${id} is listed as not yet built, but a test cites it`),
    ...Object.entries(notYetBuilt)
      .filter(([id, reason]) => !(id in requirements) || reason.trim() === '')
      .map(([id]) => `${id} is listed as not yet built without being a requirement with a reason`),
    ...citations
      .filter(({ id }) => !(id in requirements))
      .map(({ id, path }) => `${path} cites ${id}, which is no requirement`),
  ];
}

interface Patch {
  path: string;
  text: string;
}

/** Every proven promise has a patch that breaks it, and every patch breaks a known promise in a test that exists. */
function judgePatches(patches: Patch[], provenIds: Iterable<string>, testPaths: ReadonlySet<string>): string[] {
  const header = (text: string, key: string) =>
    [...text.matchAll(new RegExp(`^# ${key}: (.+)$`, 'gm'))].map((match) => match[1] ?? '');
  const broken = new Set(patches.flatMap((patch) => header(patch.text, 'breaks')));
  return [
    ...[...new Set(provenIds)].filter((id) => !broken.has(id)).map((id) => `${id} has no patch in test/sabotage`),
    ...patches.flatMap(({ path, text }) => [
      ...(header(text, 'breaks').some((id) => !(id in REQUIREMENTS)) ? [`${path} breaks an unknown requirement`] : []),
      ...(header(text, 'breaks').length === 1 ? [] : [`${path} must name one requirement: "# breaks: I5"`]),
      ...(header(text, 'test').length > 0 ? [] : [`${path} must name its test: "# test: packages/…"`]),
      ...header(text, 'test')
        .filter((test) => !testPaths.has(test))
        .map((test) => `${path} names ${test}, which does not exist`),
    ]),
  ];
}

describe('the promises', () => {
  const sources = readSources();
  const citations = listCitations(sources);
  const patches = listPaths('test')
    .filter((path) => path.startsWith('test/sabotage/') && path.endsWith('.patch'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

  it('are each proven by a test, or openly not yet built', () => {
    expect(judgeCoverage(citations, { requirements: REQUIREMENTS, notYetBuilt: NOT_YET_BUILT })).toEqual([]);
  });

  it('are each broken on purpose by a patch', () => {
    const proven = citations.map((citation) => citation.id).filter((id) => id in REQUIREMENTS);
    expect(judgePatches(patches, proven, new Set(sources.map((source) => source.path)))).toEqual([]);
  });
});

describe('the coverage check can fail', () => {
  const cite = (text: string) => listCitations([toSourceFile('packages/core/src/a.test.ts', text)]);
  const ledger = { requirements: { I1: 'one', I2: 'two' }, notYetBuilt: {} };

  it('reads citations of tests only', () => {
    expect(
      cite("it(verifies('I1', 'x'), f); test(\n  verifies('I2', 'I3', title), f);").map((citation) => citation.id),
    ).toEqual(['I1', 'I2', 'I3']);
    expect(
      cite("describe(verifies('I1', 'x'), f); it.each([{ a: 1 }])(verifies('I2', 'x'), f);").map(
        (citation) => citation.id,
      ),
    ).toEqual(['I1', 'I2']);
    expect(
      cite("// it(verifies('I1', 'x'), f);\nconst a = \"it(verifies('I1', 'x'))\"; const b = verifies('I1', 'x');"),
    ).toEqual([]);
    expect(listCitations([toSourceFile('packages/core/src/a.ts', "it(verifies('I1', 'x'), f);")])).toEqual([]);
  });

  it.each([
    ['no test cites an id', "it(verifies('I1', 'x'), f);", ledger, 'I2 is not proven'],
    ['an unknown id is cited', "it(verifies('I1', 'I2', 'I9', 'x'), f);", ledger, 'which is no requirement'],
    [
      'the list goes stale',
      "it(verifies('I1', 'I2', 'x'), f);",
      { ...ledger, notYetBuilt: { I2: 'later' } },
      'but a test cites it',
    ],
    [
      'the list names nothing',
      "it(verifies('I1', 'I2', 'x'), f);",
      { ...ledger, notYetBuilt: { I9: 'later' } },
      'without being',
    ],
    [
      'the list gives no reason',
      "it(verifies('I1', 'x'), f);",
      { ...ledger, notYetBuilt: { I2: ' ' } },
      'with a reason',
    ],
  ])('when %s', (_, text, against, why) => {
    expect(judgeCoverage(cite(text), against as Ledger)).toEqual([expect.stringContaining(why)]);
  });

  it('passes when all is proven or openly missing', () => {
    expect(judgeCoverage(cite("it(verifies('I1', 'x'), f);"), { ...ledger, notYetBuilt: { I2: 'later' } })).toEqual([]);
  });

  it.each([
    ['a proven id has no patch', '# breaks: I2\n# test: a.test.ts\n', 'I1 has no patch'],
    ['a patch breaks nothing known', '# breaks: I1\n# breaks: I99\n# test: a.test.ts\n', 'unknown requirement'],
    ['a patch names no id', '# test: a.test.ts\n', 'must name one requirement'],
    ['a patch names no test', '# breaks: I1\n', 'must name its test'],
    ['a patch names a lost test', '# breaks: I1\n# test: b.test.ts\n', 'does not exist'],
  ])('when %s', (_, text, why) => {
    expect(judgePatches([{ path: 'x.patch', text }], ['I1'], new Set(['a.test.ts']))).toContainEqual(
      expect.stringContaining(why),
    );
  });
});
