import { median } from '../measure/median.ts';
import { printTable } from './print-table.ts';

/** One goal: its median over the rounds decides, never one lucky round. */
export interface Goal {
  readonly label: string;
  readonly unit: string;
  readonly digits: number;
  readonly bound: { readonly atLeast: number } | { readonly below: number };
  /** One value per round, or one for all; none when it cannot be told on this system. */
  readonly values: readonly number[];
}

/** Prints a table of goals: what was asked, the median, pass or missed, the rounds it is the median of. */
export function printGoals(goals: readonly Goal[]): void {
  const rows = goals.map(({ label, unit, digits, bound, values }) => {
    const middle = median(values);
    const met = 'atLeast' in bound ? middle >= bound.atLeast : middle < bound.below;
    return [
      label,
      'atLeast' in bound ? `≥ ${bound.atLeast}${unit}` : `< ${bound.below}${unit}`,
      values.length === 0 ? '' : `${middle.toFixed(digits)}${unit}`,
      values.length === 0 ? 'unknown' : met ? 'pass' : 'missed',
      values.length > 1 ? values.map((value) => value.toFixed(digits)).join('  ') : '',
    ];
  });
  printTable([['', 'goal', 'median', '', 'rounds'], ...rows]);
}
