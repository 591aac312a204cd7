import { type AddressClass, classifyAddress, embeddedIpv4, type ParsedAddress, parseAddress } from './address-class.ts';
import { type AllowEntry, covers, namesOneAddress } from './allow-list.ts';

/** Why an address may not be dialled. `own_endpoint`: a listener or store of Tidegate itself. */
export type AddressDenial = Exclude<AddressClass, 'public'> | 'own_endpoint';

export type AddressDecision = { readonly allowed: true } | { readonly allowed: false; readonly reason: AddressDenial };

/** A listener or store of Tidegate; `0.0.0.0` and `::` stand for every address of this machine. */
export interface OwnEndpoint {
  readonly address: string;
  readonly port: number;
}

export interface GuardFacts {
  readonly allow: readonly AllowEntry[];
  readonly own: readonly OwnEndpoint[];
  /** Addresses of this machine's interfaces. */
  readonly localAddresses: readonly string[];
}

/** No entry opens these: nothing answers there, or (`unspecified`) the kernel quietly dials this machine instead. */
const NEVER_OPENED: ReadonlySet<AddressClass> = new Set([
  'unspecified',
  'multicast',
  'broadcast',
  'zone_id',
  'not_an_address',
]);

/**
 * Decides whether one resolved address and port may be dialled. Pure. Order of the rule: own endpoints are refused
 * whatever the config opens; public addresses pass; the rest pass only where an entry covers them.
 */
export function decideAddress(text: string, port: number, facts: GuardFacts): AddressDecision {
  const address = parseAddress(text);
  const addressClass = classifyAddress(text);
  if (address === null || NEVER_OPENED.has(addressClass)) return denied(addressClass);
  if (facts.own.some((own) => own.port === port && isSamePlace(address, own, facts))) return denied('own_endpoint');
  if (addressClass === 'public') return { allowed: true };
  const entries = facts.allow.filter((entry) => covers(entry, address, port));
  // Credentials live there, so a wide range that happens to contain the address is not enough.
  const opened = addressClass === 'metadata' ? entries.some(namesOneAddress) : entries.length > 0;
  if (!opened) return denied(addressClass);
  const inner = embeddedIpv4(address);
  return inner === null ? { allowed: true } : decideAddress(inner, port, facts);
}

function denied(reason: AddressClass | 'own_endpoint'): AddressDecision {
  return { allowed: false, reason: reason === 'public' ? 'not_an_address' : reason };
}

function isSamePlace(address: ParsedAddress, own: OwnEndpoint, facts: GuardFacts): boolean {
  const names = spellings(address);
  const listener = parseAddress(own.address);
  if (listener === null) return false;
  if (classifyAddress(own.address) !== 'unspecified') return spellings(listener).some((name) => names.includes(name));
  if (names.some((name) => classifyAddress(name) === 'loopback')) return true;
  return facts.localAddresses.some((local) => {
    const parsed = parseAddress(local);
    return parsed !== null && spellings(parsed).some((name) => names.includes(name));
  });
}

/** The address in one fixed spelling, and the IPv4 address it leads to, if any. */
function spellings(address: ParsedAddress): string[] {
  const inner = embeddedIpv4(address);
  return inner === null ? [address.toString()] : [address.toString(), inner];
}
