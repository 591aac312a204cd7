import { AppError } from '@tidegate/core';
import type { AddressGuard } from '../guard/address-guard.ts';
import { parseDestination } from '../guard/destination.ts';
import { createExchanger } from '../http/exchange.ts';
import { areSendable } from '../http/headers.ts';
import { type Device, parseDevice, parseDevices, parseTunnel, parseTunnels, type Tunnel } from './parse-answer.ts';
import { type LocaltonetResult, type Parse, readResult } from './read-result.ts';
import type { Listing } from './unwrap.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Read-only client of API v2. No method rejects, and no result holds a token that it was asked about. */
export interface LocaltonetClient {
  listDevices(options?: CallOptions): Promise<LocaltonetResult<readonly Device[]>>;
  listTunnels(options?: CallOptions): Promise<LocaltonetResult<readonly Tunnel[]>>;
  /** `token` goes URL-encoded into the request path and nowhere else. */
  tunnelsOfDevice(token: string, options?: CallOptions): Promise<LocaltonetResult<readonly Tunnel[]>>;
  deviceByToken(token: string, options?: CallOptions): Promise<LocaltonetResult<Device>>;
  tunnelById(id: string, options?: CallOptions): Promise<LocaltonetResult<Tunnel>>;
  close(): Promise<void>;
}

export interface LocaltonetClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Milliseconds per request. */
  readonly timeoutMs: number;
  readonly guard: AddressGuard;
  /** Largest answer that is read, in bytes. */
  readonly maxAnswerBytes?: number;
  /** Wall clock in milliseconds; only for `Retry-After` dates of answers without a `Date`. */
  readonly now?: () => number;
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Makes the client. Throws AppError `localtonet_base_url_invalid` or `localtonet_api_key_invalid`, without the value. */
export function createLocaltonetClient(options: LocaltonetClientOptions): LocaltonetClient {
  const base = options.baseUrl.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${options.apiKey}`, accept: 'application/json', 'user-agent': 'tidegate' };
  checkOptions(base, headers);
  const exchanger = createExchanger(options.guard);
  const now = options.now ?? Date.now;

  async function call<T>(path: string | null, parse: Parse<T>, { signal }: CallOptions = {}) {
    // Nothing can be called that; sent as it is, it would name another resource.
    if (path === null) return { ok: false, reason: 'not_found', latencyMs: 0 } as const;
    const result = await exchanger.exchange({
      url: `${base}${path}`,
      method: 'GET',
      headers,
      body: null,
      maxBodyBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      timeoutMs: options.timeoutMs,
      signal,
    });
    return readResult(result, parse, now());
  }

  return {
    listDevices: (callOptions) => call('/auth-tokens', parseDevices, callOptions).then(toItems),
    listTunnels: (callOptions) => call('/tunnels', parseTunnels, callOptions).then(toItems),
    tunnelsOfDevice: (token, callOptions) =>
      call(resourcePath('/auth-tokens/', token, '/tunnels'), parseTunnels, callOptions).then(toItems),
    deviceByToken: (token, callOptions) => call(resourcePath('/auth-tokens/', token), parseDevice, callOptions),
    tunnelById: (id, callOptions) => call(resourcePath('/tunnels/', id), parseTunnel, callOptions),
    close: exchanger.close,
  };
}

function checkOptions(base: string, headers: Readonly<Record<string, string>>): void {
  const parsed = parseDestination(base);
  if (!parsed.ok || /[?#]/.test(base)) {
    throw new AppError({
      code: 'localtonet_base_url_invalid',
      publicMessage: 'localtonet.baseUrl is not a plain URL.',
    });
  }
  if (!areSendable(headers)) {
    throw new AppError({
      code: 'localtonet_api_key_invalid',
      publicMessage: 'localtonet.apiKey holds a character that cannot stand in a header.',
    });
  }
}

/** Null for a name that URL parsing would swallow (`.`, `..`) or that cannot be encoded. */
function resourcePath(prefix: string, name: string, suffix = ''): string | null {
  if (/^\.{0,2}$/.test(name) || /\p{Surrogate}/u.test(name)) return null;
  return `${prefix}${encodeURIComponent(name)}${suffix}`;
}

function toItems<T>(result: LocaltonetResult<Listing<T>>): LocaltonetResult<readonly T[]> {
  return result.ok ? { ...result, value: result.value.items, skipped: result.value.skipped } : result;
}
