import type { Config } from '@tidegate/runtime';
import { formatTable } from '../output/format-table.ts';
import { hasColour } from '../output/paint.ts';

type DefaultTaken = Config['defaultsTaken'][number];

/**
 * A line for each part of the config with what it takes by default; entries of a list that take the same share one.
 * @param screen columns of the terminal; absent where nobody sees it
 */
export function showDefaults(defaults: readonly DefaultTaken[], screen?: number): string[] {
  if (defaults.length === 0) return [];
  const taken = groupBy(defaults, ({ key }) => key.slice(0, key.lastIndexOf('.')));
  const parts = [...taken].map(([part, values]) => ({ part, values: values.map(showValue).join(', ') }));
  const alike = groupBy(parts, ({ part, values }) => `${part.replace(/\[\d+\]/, '[]')} ${values}`);
  const rows = [...alike.values()].map((same) => {
    const [first] = same;
    const entries = same.map(({ part }) => /\[(\d+)\]/.exec(part)?.[1]);
    const where = first?.part.replace(/\[\d+\]/, `[${entries.join(',')}]`) ?? '';
    return { key: where, cells: [where, first?.values ?? ''] };
  });
  return [
    '',
    'Nobody chose these; set them if your outages are not like everybody else’s:',
    ...formatTable(['IN THE CONFIG', 'DEFAULTS TAKEN'], rows, hasColour(), screen),
  ];
}

function showValue({ key, value }: DefaultTaken): string {
  const name = key.slice(key.lastIndexOf('.') + 1);
  return `${name} ${typeof value === 'object' ? value.join('+') : String(value)}`;
}

function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}
