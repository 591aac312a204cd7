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

  it('has no head without rows', () => expect(formatTable(['NAME'], [], true)).toEqual([]));
});
