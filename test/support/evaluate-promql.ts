import { parser } from '@prometheus-io/lezer-promql';

/** One series at one moment. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a process showed at the begin of every window, and what it shows now. */
export interface Scrapes {
  readonly before: readonly Sample[];
  readonly now: readonly Sample[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];
type Value = number | Sample[];

/** Reads the text format of Prometheus, as far as prom-client writes it. */
export function parseMetrics(text: string): Sample[] {
  return [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, of]) => [key, of])),
    value: Number(value),
  }));
}

/**
 * Evaluates PromQL as far as our rules use it; throws for the rest of the language. A window has two samples: its begin and
 * now, so that `increase` is their difference.
 */
export function evaluatePromql(expr: string, scrapes: Scrapes): Sample[] {
  const value = evaluate(parser.parse(expr).topNode);
  if (typeof value === 'number') throw new Error('a rule asks for a number alone');
  return value;

  function evaluate(node: Node): Value {
    const inner = childrenOf(node);
    switch (node.name) {
      case 'PromQL':
      case 'ParenExpr':
        return evaluate(first(inner));
      case 'NumberDurationLiteral':
        return Number(textOf(node));
      case 'VectorSelector':
        return select(node, scrapes.now);
      case 'FunctionCall':
        return call(textOf(first(inner)), childrenOf(named(node, 'FunctionCallBody')));
      case 'AggregateExpr':
        return aggregate(node);
      case 'BinaryExpr':
        return combine(evaluate(first(inner)), textOf(inner[1] ?? node), evaluate(inner.at(-1) ?? node));
      default:
        throw new Error(`${node.name} is not known here: ${textOf(node)}`);
    }
  }

  function call(name: string, args: readonly Node[]): Value {
    switch (name) {
      case 'absent': {
        return vector(evaluate(first(args))).length === 0 ? [{ name: '', labels: {}, value: 1 }] : [];
      }
      case 'increase':
        return difference(first(args), 1);
      case 'rate':
        return difference(first(args), secondsOf(textOf(named(first(args), 'DurationExpr'))));
      case 'histogram_quantile':
        return quantiles(Number(evaluate(first(args))), vector(evaluate(args[1] ?? first(args))));
      default:
        throw new Error(`the function ${name} is not known here`);
    }
  }

  function difference(matrix: Node, divisor: number): Sample[] {
    const selector = named(matrix, 'VectorSelector');
    const before = new Map(select(selector, scrapes.before).map((sample) => [keyOf(sample), sample.value]));
    return select(selector, scrapes.now).flatMap((sample) => {
      const begin = before.get(keyOf(sample));
      return begin === undefined ? [] : [{ ...sample, name: '', value: (sample.value - begin) / divisor }];
    });
  }

  function aggregate(node: Node): Sample[] {
    const over = vector(evaluate(first(childrenOf(named(node, 'FunctionCallBody')))));
    const by = [...textOf(node).matchAll(/^\w+ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
    const groups = groupBy(over, ({ labels }) => JSON.stringify(by.map((label) => labels[label] ?? '')));
    return [...groups.values()].map((group) => {
      const values = group.map(({ value }) => value);
      const labels = Object.fromEntries(by.map((label) => [label, group[0]?.labels[label] ?? '']));
      const sum = values.reduce((total, value) => total + value, 0);
      return { name: '', labels, value: textOf(first(childrenOf(node))) === 'max' ? Math.max(...values) : sum };
    });
  }

  function select(node: Node, samples: readonly Sample[]): Sample[] {
    const [, name, matchers = ''] = /^([\w:]+)(?:\{(.*)\})?$/s.exec(textOf(node)) ?? [];
    const wanted = [...matchers.matchAll(/(\w+)(!?=)"([^"]*)"/g)];
    return samples.filter(
      (sample) =>
        sample.name === name &&
        wanted.every(([, label = '', how, value]) => ((sample.labels[label] ?? '') === value) === (how === '=')),
    );
  }

  function textOf(node: Node): string {
    return expr.slice(node.from, node.to);
  }

  function named(node: Node, name: string): Node {
    return first(childrenOf(node).filter((child) => child.name === name));
  }
}

function combine(left: Value, operator: string, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return calculate(operator, left, right);
  if (operator === 'or') return [...vector(left), ...(vector(left).length > 0 ? [] : vector(right))];
  if (operator === 'unless') return vector(right).length > 0 ? [] : vector(left);
  const of = typeof left === 'number' ? vector(right) : left;
  return of.flatMap((sample) => {
    const others = typeof right === 'number' || typeof left === 'number' ? null : right.filter(isLike(sample));
    const [a, b] = [typeof left === 'number' ? left : sample.value, typeof right === 'number' ? right : sample.value];
    const other = others === null ? b : others[0]?.value;
    if (other === undefined) return [];
    if (/[<>=]/.test(operator)) return holds(operator, a, other) ? [sample] : [];
    return [{ ...sample, value: calculate(operator, a, other) }];
  });
}

function calculate(operator: string, a: number, b: number): number {
  if (operator === '*') return a * b;
  if (operator === '/') return a / b;
  throw new Error(`the operator ${operator} is not known here`);
}

function holds(operator: string, a: number, b: number): boolean {
  if (operator === '>') return a > b;
  if (operator === '>=') return a >= b;
  throw new Error(`the operator ${operator} is not known here`);
}

function quantiles(quantile: number, buckets: readonly Sample[]): Sample[] {
  const groups = groupBy(buckets, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  return [...groups.values()].flatMap((group) => {
    const sorted = group.toSorted((a, b) => Number(a.labels.le) - Number(b.labels.le));
    const all = group.find(({ labels }) => labels.le === '+Inf')?.value ?? 0;
    if (all === 0) return [];
    const bucket = sorted.find(({ value, labels }) => labels.le !== '+Inf' && value >= quantile * all);
    const { le: _, ...labels } = group[0]?.labels ?? {};
    return [{ name: '', labels, value: Number(bucket?.labels.le ?? sorted.at(-2)?.labels.le) }];
  });
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('something is missing in an expression');
  return one;
}

function vector(value: Value): Sample[] {
  if (typeof value === 'number') throw new Error('a number where series are expected');
  return value;
}

function isLike({ labels }: Sample): (other: Sample) => boolean {
  return (other) => keyOf({ name: '', labels }) === keyOf({ name: '', labels: other.labels });
}

function keyOf({ name, labels }: Pick<Sample, 'name' | 'labels'>): string {
  return name + JSON.stringify(Object.entries(labels).sort());
}

function secondsOf(text: string): number {
  const [, amount, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  return Number(amount) * (unit === 'h' ? 3600 : unit === 'm' ? 60 : 1);
}

function groupBy(samples: readonly Sample[], keyOfGroup: (sample: Sample) => string): Map<string, Sample[]> {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) groups.set(keyOfGroup(sample), [...(groups.get(keyOfGroup(sample)) ?? []), sample]);
  return groups;
}
