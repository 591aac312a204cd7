import { describe, expect, it } from 'vitest';
import { type AddressGuardOptions, createAddressGuard } from './address-guard.ts';
import { parseDestination } from './destination.ts';

function admit(url: string, options: Partial<AddressGuardOptions>) {
  const parsed = parseDestination(url);
  if (!parsed.ok) throw new Error('test URL does not parse');
  const guard = createAddressGuard({ allowPrivate: [], denied: [], localAddresses: () => [], ...options });
  return guard.admit(parsed.destination);
}

const answers =
  (...addresses: string[]) =>
  async () =>
    addresses;

const DENIED = (denial: string) => ({ ok: false, reason: 'address_denied', denial });

describe('admit', () => {
  it('returns every address of a public name, in the order of the resolver', async () => {
    const lookup = answers('2606:4700::1', '93.184.216.34');
    expect(await admit('https://example.org', { lookup })).toEqual({
      ok: true,
      addresses: ['2606:4700::1', '93.184.216.34'],
    });
  });

  it('refuses a name when one of its addresses is refused, wherever it stands', async () => {
    for (const list of [
      ['93.184.216.34', '10.0.0.1'],
      ['10.0.0.1', '93.184.216.34'],
    ]) {
      expect(await admit('https://example.org', { lookup: answers(...list) })).toEqual(DENIED('private'));
    }
  });

  it('asks the resolver once, and not at all for a literal', async () => {
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return ['93.184.216.34'];
    };
    await admit('https://example.org/a', { lookup });
    await admit('https://93.184.216.34/a', { lookup });
    expect(asked).toEqual(['example.org']);
  });

  it('says dns when a name has no address', async () => {
    const failing = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    expect(await admit('https://example.org', { lookup: failing })).toEqual({ ok: false, reason: 'dns' });
    expect(await admit('https://example.org', { lookup: answers() })).toEqual({ ok: false, reason: 'dns' });
  });

  it('refuses what a resolver may return besides addresses', async () => {
    expect(await admit('https://example.org', { lookup: answers('fe80::1%eth0') })).toEqual(DENIED('zone_id'));
    expect(await admit('https://example.org', { lookup: answers('evil') })).toEqual(DENIED('not_an_address'));
  });

  it('resolves localhost with the real resolver and refuses it', async () => {
    expect(await admit('http://localhost:9000', {})).toEqual(DENIED('loopback'));
  });
});

describe('denied', () => {
  const allowPrivate = ['0.0.0.0/0', '::/0'];

  it('refuses an own listener by literal, by its name, and by another name for its address', async () => {
    const names: Record<string, string[]> = { 'db.internal': ['10.0.0.9'], 'alias.example.org': ['10.0.0.9'] };
    const lookup = async (name: string) => names[name] ?? [];
    const options = { allowPrivate, lookup, denied: [{ host: 'DB.internal.', port: 5432 }] };
    expect(await admit('http://db.internal:5432', options)).toEqual(DENIED('own_endpoint'));
    expect(await admit('http://alias.example.org:5432', options)).toEqual(DENIED('own_endpoint'));
    expect(await admit('http://10.0.0.9:5432', options)).toEqual(DENIED('own_endpoint'));
    expect(await admit('http://10.0.0.9:5433', options)).toMatchObject({ ok: true });
  });

  it('keeps a port shut while the name of the own store on it does not resolve', async () => {
    const options = { allowPrivate, lookup: answers(), denied: [{ host: 'db.internal', port: 5432 }] };
    expect(await admit('http://10.0.0.9:5432', options)).toEqual({ ok: false, reason: 'dns' });
    expect(await admit('http://10.0.0.9:80', options)).toMatchObject({ ok: true });
  });

  it('takes a wildcard listener for every address of this machine', async () => {
    const denied = [{ host: '[::]', port: 8080 }];
    const localAddresses = () => ['192.168.1.5'];
    const options = { allowPrivate, denied, localAddresses, lookup: answers('127.0.0.1') };
    expect(await admit('http://192.168.1.5:8080', options)).toEqual(DENIED('own_endpoint'));
    expect(await admit('http://localhost:8080', options)).toEqual(DENIED('own_endpoint'));
    expect(await admit('http://[::1]:8080', options)).toEqual(DENIED('own_endpoint'));
    expect(await admit('http://192.168.1.6:8080', options)).toMatchObject({ ok: true });
  });

  it('reads the addresses of this machine itself', async () => {
    const guard = createAddressGuard({ allowPrivate, denied: [{ host: '0.0.0.0', port: 8080 }] });
    const parsed = parseDestination('http://127.0.0.1:8080');
    expect(parsed.ok && (await guard.admit(parsed.destination))).toEqual(DENIED('own_endpoint'));
  });
});

it('refuses a CA that is not one', () => {
  const make = () => createAddressGuard({ allowPrivate: [], denied: [], extraCa: 'nonsense' });
  expect(make).toThrow(expect.objectContaining({ code: 'extra_ca_invalid' }));
});
