import { describe, expect, it } from 'vitest';
import { readNextPath } from './next-path.ts';

describe('readNextPath', () => {
  it.each([
    ['/', '/'],
    ['/incidents', '/incidents'],
    ['/incidents?state=open', '/incidents?state=open'],
    ['/incidents/inc_a2b', '/incidents/inc_a2b'],
    ['/services/mail-agent', '/services'],
    ['/callbacks/cb_x?state=needs_review', '/callbacks/cb_x?state=needs_review'],
    ['/audit', '/audit'],
  ])('%j is a page of ours', (next, expected) => expect(readNextPath(next)).toBe(expected));

  it.each([
    ['/incidents?state=open&key=tdg_secret', '/incidents?state=open'],
    ['/incidents?token=secret', '/incidents'],
    ['/incidents?state=Secret', '/incidents'],
  ])('of %j nothing is repeated that is not ours', (next, expected) => expect(readNextPath(next)).toBe(expected));

  it.each([
    undefined,
    '',
    'incidents',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    '/\t/evil.example',
    '/incidents/../x',
    '/incidents/tdg_secret',
    '/v1/incidents',
    '/"><script>',
  ])('%j leads to the first page', (next) => expect(readNextPath(next)).toBe('/'));
});
