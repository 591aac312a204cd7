import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from './address-class.ts';
import { parseAllowList } from './allow-list.ts';
import { decideAddress, type GuardFacts } from './decide-address.ts';

const NOTHING: GuardFacts = { allow: [], own: [], localAddresses: [] };

/** The ranges a stranger must not reach, written down a second time, without ipaddr.js. */
const REFUSED_IPV4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
];

const toNumber = (dotted: string) => dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toDotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
const isRefused = (value: number) =>
  REFUSED_IPV4.some(([base, prefix]) => Math.floor(value / 2 ** (32 - prefix)) === toNumber(base) / 2 ** (32 - prefix));

const refusedIpv4 = fc
  .tuple(fc.constantFrom(...REFUSED_IPV4), fc.nat(0xffffffff))
  .map(([[base, prefix], offset]) => toNumber(base) + (offset % 2 ** (32 - prefix)));

/** Every way of writing an IPv4 address that a URL parser accepts. */
function spellings(value: number): string[] {
  const octets = toDotted(value).split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  const octal = (part: number) => `0${part.toString(8)}`;
  const hex = (part: number) => `0x${part.toString(16)}`;
  return [
    octets.join('.'),
    `${octets.join('.')}.`,
    String(value),
    hex(value),
    octal(value),
    octets.map(octal).join('.'),
    octets.map(hex).join('.'),
    octets.map((part) => hex(part).toUpperCase()).join('.'),
    `${a}.${value % 2 ** 24}`,
    `${hex(a)}.${octal(b)}.${c * 256 + d}`,
  ];
}

/** Every IPv6 address that stands for an IPv4 address. */
function embeddings(value: number): string[] {
  const high = Math.floor(value / 65_536).toString(16);
  const low = (value % 65_536).toString(16);
  const inverted = value ^ 0xffffffff;
  return [
    `::ffff:${toDotted(value)}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:FFFF:${high}:${low}`,
    `::${high}:${low}`,
    `::ffff:0:${high}:${low}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:1234:5678:0:0:${((inverted >>> 16) & 0xffff).toString(16)}:${(inverted & 0xffff).toString(16)}`,
    `2a00:1450::5efe:${high}:${low}`,
  ];
}

describe('decideAddress', () => {
  it('agrees with a second list of the refused IPv4 ranges', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(0xffffffff), refusedIpv4), (value) => {
        expect(decideAddress(toDotted(value), 443, NOTHING).allowed).toBe(!isRefused(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees at both edges of every refused range', () => {
    for (const [base, prefix] of REFUSED_IPV4) {
      const first = toNumber(base);
      const last = first + 2 ** (32 - prefix) - 1;
      for (const value of [first - 1, first, last, last + 1].filter((edge) => edge >= 0 && edge <= 0xffffffff)) {
        const allowed = decideAddress(toDotted(value), 443, NOTHING).allowed;
        expect([toDotted(value), allowed]).toEqual([toDotted(value), !isRefused(value)]);
      }
    }
  });

  it('refuses every address of a refused range in every spelling a URL accepts', () => {
    fc.assert(
      fc.property(refusedIpv4, (value) => {
        const hostnameOf = (spelling: string) => new URL(`http://${spelling}/`).hostname;
        const admitted = spellings(value).filter((one) => decideAddress(hostnameOf(one), 80, NOTHING).allowed);
        expect(admitted).toEqual([]);
      }),
    );
  });

  it('refuses every IPv6 address that stands for an IPv4 address, public ones too', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(0xffffffff), refusedIpv4), (value) => {
        const written = embeddings(value);
        const normalised = written.map((spelling) => new URL(`http://[${spelling}]/`).hostname.slice(1, -1));
        expect([...written, ...normalised].filter((one) => decideAddress(one, 80, NOTHING).allowed)).toEqual([]);
      }),
    );
  });

  it('refuses everything outside 2000::/3', () => {
    const outside = fc
      .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
      .filter(([first = 0]) => first < 0x2000 || first > 0x3fff);
    fc.assert(
      fc.property(outside, (parts) => {
        expect(decideAddress(parts.map((part) => part.toString(16)).join(':'), 443, NOTHING).allowed).toBe(false);
      }),
    );
  });

  it('refuses any text that is not an address, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(decideAddress(`x${text}`, 443, NOTHING).allowed).toBe(false);
      }),
    );
  });
});

describe('classifyAddress', () => {
  it.each([
    ['93.184.216.34', 'public'],
    ['2606:4700::1111', 'public'],
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['fd00::1', 'private'],
    ['fc00::1', 'private'],
    ['100.64.0.1', 'carrier_grade_nat'],
    ['169.254.1.1', 'link_local'],
    ['fe80::1', 'link_local'],
    ['169.254.169.254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['FD00:0EC2:0:0::254', 'metadata'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['203.0.113.9', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['fec0::1', 'reserved'],
    ['100::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['::ffff:8.8.8.8', 'embedded_ipv4'],
    ['::8.8.8.8', 'embedded_ipv4'],
    ['64:ff9b::808:808', 'embedded_ipv4'],
    ['64:ff9b:1:ffff::1', 'embedded_ipv4'],
    ['2002:7f00:1::', 'embedded_ipv4'],
    ['2001::1', 'embedded_ipv4'],
    ['fe80::1%eth0', 'zone_id'],
    ['::1%lo', 'zone_id'],
    ['127.1', 'not_an_address'],
    ['0x7f000001', 'not_an_address'],
    ['0177.0.0.1', 'not_an_address'],
    ['[::1]', 'not_an_address'],
    ['localhost', 'not_an_address'],
    ['', 'not_an_address'],
  ])('%s is %s', (address, expected) => {
    expect(classifyAddress(address)).toBe(expected);
  });
});

describe('allowPrivate', () => {
  const decide = (address: string, port: number, ...entries: string[]) =>
    decideAddress(address, port, { ...NOTHING, allow: parseAllowList(entries) });

  it('opens what an entry covers and nothing beside it', () => {
    expect(decide('10.0.0.5', 80, '10.0.0.0/24').allowed).toBe(true);
    expect(decide('10.0.1.5', 80, '10.0.0.0/24')).toEqual({ allowed: false, reason: 'private' });
    expect(decide('127.0.0.1', 9000, '127.0.0.1/32:9000').allowed).toBe(true);
    expect(decide('127.0.0.1', 5432, '127.0.0.1/32:9000')).toEqual({ allowed: false, reason: 'loopback' });
  });

  it('opens a metadata address only when it is named alone', () => {
    expect(decide('169.254.169.254', 80, '169.254.0.0/16', '0.0.0.0/0')).toEqual({
      allowed: false,
      reason: 'metadata',
    });
    expect(decide('169.254.169.254', 80, '169.254.169.254/32').allowed).toBe(true);
    expect(decide('fd00:ec2::254', 80, 'fd00::/8')).toEqual({ allowed: false, reason: 'metadata' });
  });

  it('opens an embedding only when both the IPv6 range and the IPv4 address inside are open', () => {
    expect(decide('::ffff:127.0.0.1', 80, '127.0.0.1/32').allowed).toBe(false);
    expect(decide('::ffff:127.0.0.1', 80, '::ffff:0:0/96')).toEqual({ allowed: false, reason: 'loopback' });
    expect(decide('64:ff9b::a00:1', 80, '64:ff9b::/96')).toEqual({ allowed: false, reason: 'private' });
    expect(decide('64:ff9b::a00:1', 80, '64:ff9b::/96', '10.0.0.1/32').allowed).toBe(true);
    expect(decide('64:ff9b::808:808', 80, '64:ff9b::/96').allowed).toBe(true);
  });

  it.each(['0.0.0.0', '::', '224.0.0.1', 'ff02::1', '255.255.255.255', 'fe80::1%eth0'])('never opens %s', (address) => {
    expect(decide(address, 80, '0.0.0.0/0', '::/0', '224.0.0.1/32').allowed).toBe(false);
  });
});

describe('own endpoints', () => {
  const open = parseAllowList(['0.0.0.0/0', '::/0']);

  it('are refused whatever is opened, in every spelling', () => {
    const port = fc.integer({ min: 1, max: 65_535 });
    fc.assert(
      fc.property(fc.nat(0xffffffff), port, (value, listening) => {
        const own = [{ address: toDotted(value), port: listening }];
        for (const address of [toDotted(value), ...embeddings(value)]) {
          expect(decideAddress(address, listening, { allow: open, own, localAddresses: [] }).allowed).toBe(false);
        }
      }),
    );
  });

  it('are refused on their port only', () => {
    const facts = { allow: open, own: [{ address: '127.0.0.1', port: 5432 }], localAddresses: [] };
    expect(decideAddress('127.0.0.1', 5432, facts)).toEqual({ allowed: false, reason: 'own_endpoint' });
    expect(decideAddress('127.0.0.1', 5433, facts).allowed).toBe(true);
    expect(decideAddress('10.0.0.1', 5432, facts).allowed).toBe(true);
  });

  it.each(['0.0.0.0', '::'])('a listener on %s owns every address of this machine', (address) => {
    const facts = {
      allow: open,
      own: [{ address, port: 8080 }],
      localAddresses: ['203.0.113.7', '2606:4700::7', 'fe80::1'],
    };
    for (const own of ['127.0.0.1', '127.9.9.9', '::1', '203.0.113.7', '2606:4700:0:0::7', '::ffff:203.0.113.7']) {
      expect([own, decideAddress(own, 8080, facts)]).toEqual([own, { allowed: false, reason: 'own_endpoint' }]);
    }
    expect(decideAddress('10.0.0.1', 8080, facts).allowed).toBe(true);
  });
});
