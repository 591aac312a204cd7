import { X509Certificate } from 'node:crypto';
import { lookup as lookupHost } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { AppError } from '@tidegate/core';
import { parseAddress } from './address-class.ts';
import { parseAllowList } from './allow-list.ts';
import { type AddressDenial, decideAddress, type OwnEndpoint } from './decide-address.ts';
import type { Destination } from './destination.ts';

/** Resolves a name to every address it has. Rejects when it has none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export type Admission =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly reason: 'dns' }
  | { readonly ok: false; readonly reason: 'address_denied'; readonly denial: AddressDenial };

export interface AddressGuard {
  /**
   * Resolves the destination once and checks every address. The caller dials only the returned literals, so a second
   * answer of the same name is never asked for. One refused address refuses the name.
   */
  admit(destination: Destination): Promise<Admission>;
  /** PEM certificates trusted besides the usual roots; undefined for none. */
  readonly extraCa: string | undefined;
}

export interface AddressGuardOptions {
  /** `CIDR` or `CIDR:port`; opens ranges that are not public. */
  readonly allowPrivate: readonly string[];
  /** Tidegate's own listeners and stores, as literals or names; they are refused under any name, whatever is opened. */
  readonly denied: readonly { readonly host: string; readonly port: number }[];
  readonly lookup?: Lookup;
  readonly localAddresses?: () => readonly string[];
  readonly extraCa?: string;
}

/** Makes the guard that every outgoing connection passes. Throws AppError `allow_private_invalid`, `extra_ca_invalid`. */
export function createAddressGuard(options: AddressGuardOptions): AddressGuard {
  if (options.extraCa !== undefined) checkCertificate(options.extraCa);
  const allow = parseAllowList(options.allowPrivate);
  // A store behind a Unix socket has no host, and cannot be dialled from here.
  const own = options.denied
    .map(({ host, port }) => ({ host: plainHost(host), port }))
    .filter(({ host }) => host !== '');
  const lookup = options.lookup ?? lookupAll;
  const localAddresses = options.localAddresses ?? interfaceAddresses;

  async function admit({ hostname, port }: Destination): Promise<Admission> {
    const rivals = own.filter((endpoint) => endpoint.port === port);
    if (rivals.some((endpoint) => endpoint.host === hostname)) return deny('own_endpoint');
    const ownAddresses = await resolveOwn(rivals, lookup);
    const addresses = await resolve(hostname, lookup);
    // A store of ours whose name does not resolve could be any address, so nothing is dialled on its port until it does.
    if (addresses === null || ownAddresses === null) return { ok: false, reason: 'dns' };
    // Asking the kernel costs more than all the rest here, and only a listener of ours on this port needs the answer.
    const facts = { allow, own: ownAddresses, localAddresses: rivals.length === 0 ? [] : localAddresses() };
    for (const address of addresses) {
      const decision = decideAddress(address, port, facts);
      if (!decision.allowed) return deny(decision.reason);
    }
    return { ok: true, addresses };
  }

  return { admit, extraCa: options.extraCa };
}

function checkCertificate(pem: string): void {
  try {
    new X509Certificate(pem);
  } catch {
    throw new AppError({ code: 'extra_ca_invalid', publicMessage: 'The extra CA is not a PEM certificate.' });
  }
}

function deny(denial: AddressDenial): Admission {
  return { ok: false, reason: 'address_denied', denial };
}

/** Null when a name has no address; a literal is its own answer. */
async function resolve(hostname: string, lookup: Lookup): Promise<readonly string[] | null> {
  if (parseAddress(hostname) !== null) return [hostname];
  const addresses = await lookup(hostname).catch(() => []);
  return addresses.length === 0 ? null : addresses;
}

async function resolveOwn(
  endpoints: readonly { host: string; port: number }[],
  lookup: Lookup,
): Promise<OwnEndpoint[] | null> {
  const resolved: OwnEndpoint[] = [];
  for (const { host, port } of endpoints) {
    const addresses = await resolve(host, lookup);
    if (addresses === null) return null;
    resolved.push(...addresses.map((address) => ({ address, port })));
  }
  return resolved;
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

async function lookupAll(hostname: string): Promise<readonly string[]> {
  const answers = await lookupHost(hostname, { all: true, verbatim: true });
  return answers.map((answer) => answer.address);
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address));
}
