import { describe, expect, it } from 'vitest';
import { parseAddress } from './address-class.ts';
import { covers, parseAllowList } from './allow-list.ts';

function opens(entry: string, address: string, port: number): boolean {
  const [parsed] = parseAllowList([entry]);
  const target = parseAddress(address);
  return parsed !== undefined && target !== null && covers(parsed, target, port);
}

describe('parseAllowList', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3', 80, true],
    ['10.9.9.9/8', '10.1.2.3', 80, true],
    ['10.0.0.0/8', '11.0.0.1', 80, false],
    ['10.0.0.0/8:8080', '10.1.2.3', 8080, true],
    ['10.0.0.0/8:8080', '10.1.2.3', 80, false],
    ['127.0.0.1', '127.0.0.1', 9000, true],
    ['127.0.0.1', '127.0.0.2', 9000, false],
    ['127.0.0.1:9000', '127.0.0.1', 9000, true],
    ['127.0.0.1:9000', '127.0.0.1', 9001, false],
    ['fd00::/8', 'fd12::1', 443, true],
    ['fd00::/8:443', 'fd12::1', 443, true],
    ['fd00::/8:443', 'fd12::1', 80, false],
    ['[fd00::]/8:443', 'fd12::1', 443, true],
    ['[fd00::/8]:443', 'fd12::1', 80, false],
    ['[::1]:9000', '::1', 9000, true],
    ['::1', '::1', 1, true],
    [' 127.0.0.1/32 ', '127.0.0.1', 1, true],
    ['0.0.0.0/0', 'fd12::1', 443, false],
    ['::/0', '10.0.0.1', 443, false],
  ])('%s opens %s:%i → %s', (entry, address, port, expected) => {
    expect(opens(entry, address, port)).toBe(expected);
  });

  it.each([
    '',
    'localhost',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '010.0.0.0/8',
    '10.0.0.0/8:0',
    '10.0.0.0/8:65536',
    '10.0.0.0/8:',
    '10.0.0.0/-1',
    '[10.0.0.0/8',
    'fe80::1%eth0/64',
    '*',
  ])('refuses %j and does not repeat it', (entry) => {
    const parse = () => parseAllowList(['10.0.0.0/8', entry]);
    expect(parse).toThrow(expect.objectContaining({ code: 'allow_private_invalid' }));
    expect(parse).toThrow('Entry 2 of allowPrivate is neither CIDR nor CIDR:port.');
  });
});
