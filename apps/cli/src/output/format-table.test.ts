import { describe, expect, it } from 'vitest';
import { formatTable } from './format-table.ts';

const rows = [
  { key: 'a', cells: ['agent', { text: 'held', tone: 'bad' }, 'why'] as const, below: ['HELD by ada'] },
  { key: 'b', cells: ['日本', { text: 'verifying', tone: 'waiting' }, ''] as const },
];

describe('formatTable', () => {
  it('aligns columns, wide characters included, and trails no spaces', () => {
    expect(formatTable(['NAME', 'STATE', 'REASON'], rows, false)).toEqual([
      'NAME   STATE      REASON',
      'agent  held       why',
      '  HELD by ada',
      '日本   verifying',
    ]);
  });

  it('colours words without moving a column', () => {
    const [head, first] = formatTable(['NAME', 'STATE', 'REASON'], rows, true);
    expect(head).toContain('\u001b[2mNAME\u001b[0m');
    expect(first).toBe('agent  \u001b[31mheld\u001b[0m       why');
  });

  it('obeys nothing that is in a cell, and counts what is shown', () => {
    const [, first, second] = formatTable(
      ['NAME', 'STATE'],
      [
        { key: 'a', cells: ['\u001b[2Jx', 'held'] },
        { key: 'b', cells: ['❤️‍x👨‍👩‍👧', 'open'] },
      ],
      true,
    );
    expect([first, second]).toEqual([`\\u001b[2Jx${' '.repeat(19)}held`, '❤️\\u200dx👨\\u200d👩\\u200d👧  open']);
  });

  it('makes blocks of lines where the screen is too narrow for its columns', () => {
    expect(formatTable(['NAME', 'STATE', 'REASON'], rows, false, 24)).toHaveLength(4);
    expect(formatTable(['NAME', 'STATE', 'REASON'], rows, false, 23)).toEqual([
      'NAME    agent',
      'STATE   held',
      'REASON  why',
      '  HELD by ada',
      '',
      'NAME    日本',
      'STATE   verifying',
      'REASON',
    ]);
  });

  it('has no head without rows', () => expect(formatTable(['NAME'], [], true)).toEqual([]));
});
