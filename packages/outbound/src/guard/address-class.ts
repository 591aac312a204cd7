import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type ParsedAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** What kind of place an address is; only `public` may be dialled without being named in the config. */
export type AddressClass =
  | 'public'
  | 'loopback'
  | 'private'
  | 'carrier_grade_nat'
  | 'link_local'
  | 'metadata'
  | 'multicast'
  | 'unspecified'
  | 'broadcast'
  | 'reserved'
  | 'embedded_ipv4'
  | 'zone_id'
  | 'not_an_address';

const IPV4_CLASSES: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  carrierGradeNat: 'carrier_grade_nat',
  linkLocal: 'link_local',
  multicast: 'multicast',
  unspecified: 'unspecified',
  broadcast: 'broadcast',
};

const IPV6_CLASSES: Readonly<Record<string, AddressClass>> = {
  loopback: 'loopback',
  uniqueLocal: 'private',
  linkLocal: 'link_local',
  multicast: 'multicast',
  unspecified: 'unspecified',
};

/** Addresses where clouds hand credentials to whoever asks. Azure's and Oracle's lie outside the link-local range. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

/**
 * Reads one IP literal in standard notation; null for anything else, zone ids included. Lax spellings (octal, hex, one
 * number) are not literals here: the URL parser has rewritten them before, and a resolver never returns them.
 */
export function parseAddress(text: string): ParsedAddress | null {
  const family = text.includes('%') ? 0 : isIP(text);
  if (family === 0) return null;
  if (family === 4) return ipaddr.IPv4.parse(text);
  // The URL parser rewrites dotted tails to hex; ipaddr.js would read the compatible form as the mapped one.
  return ipaddr.IPv6.parse(new URL(`http://[${text}]/`).hostname.slice(1, -1));
}

/** Names the class of an address given as text. Pure. Ranges: IANA special-purpose registries, as ipaddr.js holds them. */
export function classifyAddress(text: string): AddressClass {
  if (text.includes('%')) return 'zone_id';
  const address = parseAddress(text);
  if (address === null) return 'not_an_address';
  if (METADATA_ADDRESSES.has(address.toString())) return 'metadata';
  if (isIpv4(address)) return IPV4_CLASSES[address.range()] ?? 'reserved';
  return classifyIpv6(address);
}

function classifyIpv6(address: ipaddr.IPv6): AddressClass {
  const range: string = address.range();
  const named = IPV6_CLASSES[range];
  if (named !== undefined) return named;
  if (embeddedIpv4(address) !== null) return 'embedded_ipv4';
  // Only 2000::/3 is handed out for global use (RFC 4291 §2.4); everything else is refused, named or not.
  const globalUnicast = ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
  return range === 'unicast' && globalUnicast ? 'public' : 'reserved';
}

/**
 * The IPv4 address that an IPv6 address stands for, or null: mapped and compatible (RFC 4291), NAT64 (RFC 6052, 8215),
 * translated (RFC 6145), 6to4 (RFC 3056), Teredo (RFC 4380, stored inverted) and ISATAP (RFC 5214).
 */
export function embeddedIpv4(address: ParsedAddress): string | null {
  if (isIpv4(address)) return null;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  if (a === 0x2002) return dotted(b, c);
  if (a === 0x2001 && b === 0) return dotted(g ^ 0xffff, h ^ 0xffff);
  if (a === 0x64 && b === 0xff9b && (c === 1 || (c === 0 && d === 0 && e === 0 && f === 0))) return dotted(g, h);
  if ((e === 0 || e === 0x200) && f === 0x5efe) return dotted(g, h);
  if (a !== 0 || b !== 0 || c !== 0 || d !== 0) return null;
  const mappedOrTranslated = (e === 0 && f === 0xffff) || (e === 0xffff && f === 0);
  const compatible = e === 0 && f === 0 && (g !== 0 || h > 1);
  return mappedOrTranslated || compatible ? dotted(g, h) : null;
}

export function isIpv4(address: ParsedAddress): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}
