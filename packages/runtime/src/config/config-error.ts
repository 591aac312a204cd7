/** One thing wrong in the config file. `message` is a sentence of our own and never repeats a value: it may be a secret. */
export interface ConfigIssue {
  readonly file: string;
  /** 1-based; the line of the key, or of the map that should hold it. */
  readonly line: number;
  /** Path of the key, as `services[0].probes.public.url`; empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
}

/** Everything wrong in a config file, in file order. `file`, `line`, `key` and `message` are those of the first issue. */
export class ConfigError extends Error {
  readonly code = 'config_invalid';
  readonly file: string;
  readonly line: number;
  readonly key: string;
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly [ConfigIssue, ...ConfigIssue[]]) {
    const [first] = issues;
    super(first.message);
    this.name = 'ConfigError';
    this.file = first.file;
    this.line = first.line;
    this.key = first.key;
    this.issues = issues;
  }

  /** One line per issue: `file:line: key: message`. */
  format(): string {
    return this.issues
      .map(({ file, line, key, message }) => [`${file}:${line}`, ...(key === '' ? [] : [key]), message].join(': '))
      .join('\n');
  }
}

/** A process environment variable that cannot be used; names it and never repeats its value. */
export class EnvError extends Error {
  readonly code = 'env_invalid';
  readonly variable: string;

  constructor(variable: string, expectation: string) {
    super(`${variable} must be ${expectation}.`);
    this.name = 'EnvError';
    this.variable = variable;
  }
}
