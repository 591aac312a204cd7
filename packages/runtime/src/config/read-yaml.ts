import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { KeyPath } from './key-path.ts';

export interface YamlFile {
  readonly document: Document;
  /** Syntax errors, each as line and sentence; the parser's own messages quote the text and are not passed on. */
  readonly errors: readonly { readonly line: number; readonly message: string }[];
  /** 1-based line of the deepest part of `path` that is in the file. */
  lineOf(path: KeyPath): number;
}

const SENTENCES: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'a key is given twice in one map',
  MULTIPLE_DOCS: 'only one YAML document is expected',
  TAB_AS_INDENT: 'tabs cannot indent YAML, use spaces',
  BAD_INDENT: 'the indentation or a bracket does not fit the lines above',
  TAG_RESOLVE_FAILED: 'a YAML tag is unknown',
};

/** Parses YAML 1.2 and keeps the place of every key. */
export function readYaml(source: string): YamlFile {
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter, prettyErrors: false, stringKeys: true });
  const lineAt = (offset: number) => Math.max(lineCounter.linePos(offset).line, 1);
  const errors = new Map<string, { line: number; message: string }>();
  for (const { code, pos } of [...document.errors, ...document.warnings]) {
    const line = lineAt(pos[0]);
    const message = SENTENCES[code] ?? `the file cannot be read as YAML from here on (${code})`;
    errors.set(`${line} ${message}`, { line, message });
  }
  return {
    document,
    errors: [...errors.values()],
    lineOf: (path) => lineAt(offsetOf(document.contents, path)),
  };
}

function offsetOf(root: Node | null, path: KeyPath): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === segment);
      offset = pair !== undefined && isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair?.value;
    } else if (isSeq(node) && typeof segment === 'number') {
      const item: unknown = node.items[segment];
      offset = (item as Node | undefined)?.range?.[0] ?? offset;
      node = item;
    } else {
      return offset;
    }
  }
  return offset;
}
