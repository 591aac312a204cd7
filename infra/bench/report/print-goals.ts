import { median } from '../measure/median.ts';

/** One goal of DESIGN §10: its median over the rounds decides, never one lucky round. */
export interface Goal {
  readonly label: string;
  readonly unit: string;
  readonly digits: number;
  readonly bound: { readonly atLeast: number } | { readonly below: number };
  /** One value per round, or one for all. */
  readonly values: readonly number[];
}

/** Prints a table of goals: what was asked, the median, the rounds it is the median of, pass or missed. */
export function printGoals(goals: readonly Goal[]): void {
  const rows = goals.map((goal) => {
    const { label, unit, digits, bound, values } = goal;
    const middle = median(values);
    const met = 'atLeast' in bound ? middle >= bound.atLeast : middle < bound.below;
    const asked = 'atLeast' in bound ? `≥ ${bound.atLeast}` : `< ${bound.below}`;
    return [
      label,
      `${asked}${unit}`,
      `${middle.toFixed(digits)}${unit}`,
      Number.isNaN(middle) ? 'unknown' : met ? 'pass' : 'missed',
      values.length > 1 ? values.map((value) => value.toFixed(digits)).join('  ') : '',
    ];
  });
  printTable([['', 'goal', 'median', '', 'rounds'], ...rows]);
}

/** Prints rows with their columns aligned: the first to the left, as are texts; nothing is cut. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    console.log(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd()}`,
    );
  }
}
