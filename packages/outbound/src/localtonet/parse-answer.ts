import { z } from 'zod';
import { asFields, type Fields, type Listing, readListing, readOne } from './unwrap.ts';

/** A device as API v2 lists it. `token` is a live credential; `name` is raw text from outside. */
export interface Device {
  readonly token: string;
  readonly name: string | null;
  /** Null when the answer does not say. */
  readonly online: boolean | null;
}

/** A tunnel as API v2 lists it; texts are raw, and null stands for what the answer does not say. */
export interface Tunnel {
  readonly id: string;
  readonly title: string | null;
  readonly url: string | null;
  /** The number as received; 1 = started (seen). */
  readonly status: number | null;
  readonly started: boolean | null;
  readonly connected: boolean | null;
  /** The credential of the device it belongs to. */
  readonly deviceToken: string | null;
}

const text = z.string().min(1).nullable().catch(null);
// A number beyond 2^53 has lost digits in JSON.parse and would name another tunnel.
const identifier = z.union([z.string().min(1), z.int().nonnegative().transform(String)]);
const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .nullable()
  .catch(null);
const truth = z
  .union([
    z.boolean(),
    z.number().transform((value) => value === 1),
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(['true', '1', 'connected', 'online', 'started']))
      .transform(() => true),
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(['false', '0', 'disconnected', 'offline', 'stopped']))
      .transform(() => false),
  ])
  .nullable()
  .catch(null);

/** Reads a list of devices, bare or wrapped; null when the answer holds no list of them. Pure. */
export function parseDevices(body: unknown): Listing<Device> | null {
  return readListing(body, readDevice);
}

/** Reads a list of tunnels, bare or wrapped; null when the answer holds no list of them. Pure. */
export function parseTunnels(body: unknown): Listing<Tunnel> | null {
  return readListing(body, readTunnel);
}

/** Reads one device, bare or wrapped; null when it has no token. Pure. */
export function parseDevice(body: unknown): Device | null {
  return readOne(body, readDevice);
}

/** Reads one tunnel, bare or wrapped; null when it has no id. Pure. */
export function parseTunnel(body: unknown): Tunnel | null {
  return readOne(body, readTunnel);
}

function readDevice(entry: Fields): Device | null {
  const token = firstIdentifier(entry, ['token', 'authtoken']);
  if (token === null) return null;
  const name = text.parse(entry.get('name') ?? entry.get('title') ?? null);
  return { token, name, online: truth.parse(entry.get('clientisonline') ?? entry.get('isonline') ?? null) };
}

function readTunnel(entry: Fields): Tunnel | null {
  const id = firstIdentifier(entry, ['id', 'tunnelid']);
  if (id === null) return null;
  const rawStatus = entry.get('status') ?? null;
  const status = count.parse(rawStatus);
  return {
    id,
    title: text.parse(entry.get('title') ?? entry.get('name') ?? null),
    url: text.parse(entry.get('url') ?? null),
    status,
    started: status === null ? truth.parse(rawStatus) : status === 1,
    connected: truth.parse(entry.get('connectionstatus') ?? null),
    deviceToken: readDeviceToken(entry),
  };
}

function readDeviceToken(entry: Fields): string | null {
  const direct = firstIdentifier(entry, ['authtoken', 'token', 'authtokenvalue']);
  if (direct !== null) return direct;
  const nested = asFields(entry.get('authtoken') ?? entry.get('token'));
  return nested === null ? null : firstIdentifier(nested, ['token', 'authtoken', 'value']);
}

function firstIdentifier(entry: Fields, names: readonly string[]): string | null {
  for (const name of names) {
    const value = entry.get(name);
    // Most entries lack most of the names, and each failed parse costs as much as all good ones.
    if (value === undefined) continue;
    const parsed = identifier.safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return null;
}
