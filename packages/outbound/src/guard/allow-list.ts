import { AppError } from '@tidegate/core';
import { isIpv4, type ParsedAddress, parseAddress } from './address-class.ts';

/** One opened range; `port` null opens every port of it. */
export interface AllowEntry {
  readonly network: ParsedAddress;
  readonly prefix: number;
  readonly port: number | null;
}

// `[fd00::]/8:443` and `[fd00::/8]:443`; then `fd00::/8:443` and `10.0.0.0/8:443`; then `127.0.0.1:9000`.
const SHAPES = [
  /^\[(?<address>[^\]/]+)\](?:\/(?<prefix>\d{1,3}))?(?::(?<port>\d{1,5}))?$/,
  /^\[(?<address>[^\]/]+)\/(?<prefix>\d{1,3})\](?::(?<port>\d{1,5}))?$/,
  /^(?<address>[^[\]/]+?)(?:\/(?<prefix>\d{1,3})(?::(?<port>\d{1,5}))?)?$/,
  /^(?<address>\d+\.\d+\.\d+\.\d+):(?<port>\d{1,5})$/,
];

/**
 * Reads `allowPrivate` of the config: `CIDR`, `CIDR:port`, `[v6]/n:port`; a missing prefix means the single address.
 * Throws AppError `allow_private_invalid` that names the position, never the text.
 */
export function parseAllowList(entries: readonly string[]): AllowEntry[] {
  return entries.map((text, index) => {
    const entry = parseAllowEntry(text.trim());
    if (entry !== null) return entry;
    throw new AppError({
      code: 'allow_private_invalid',
      publicMessage: `Entry ${index + 1} of allowPrivate is neither CIDR nor CIDR:port.`,
    });
  });
}

function parseAllowEntry(text: string): AllowEntry | null {
  for (const shape of SHAPES) {
    const groups = shape.exec(text)?.groups;
    const network = groups?.address === undefined ? null : parseAddress(groups.address);
    if (groups === undefined || network === null) continue;
    const widest = isIpv4(network) ? 32 : 128;
    const prefix = groups.prefix === undefined ? widest : Number(groups.prefix);
    const port = groups.port === undefined ? null : Number(groups.port);
    if (prefix > widest || (port !== null && (port < 1 || port > 65_535))) return null;
    return { network, prefix, port };
  }
  return null;
}

/** True when the entry opens this address and port. */
export function covers(entry: AllowEntry, address: ParsedAddress, port: number): boolean {
  if (entry.port !== null && entry.port !== port) return false;
  return entry.network.kind() === address.kind() && address.match(entry.network, entry.prefix);
}

/** True when the entry names one address and no range. */
export function namesOneAddress(entry: AllowEntry): boolean {
  return entry.prefix === (isIpv4(entry.network) ? 32 : 128);
}
