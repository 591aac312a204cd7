import { expect } from 'vitest';
import { callHttp, type OnAnswer } from './call-http.ts';
import { readStream } from './read-stream.ts';
import type { Stack } from './run-stack.ts';

export interface ReadFeeds {
  /** Hears every answer that is not a stream. */
  readonly note: OnAnswer;
  /** A live key, and one that is none. */
  readonly key: string;
  readonly wrongKey: string;
  /** Where a secret does not belong: in a query and in a path. */
  readonly misplaced: { readonly path: string; readonly query: string };
  /** A service, of which the stream of events has told among others. */
  readonly service: string;
}

interface ToldByStreams {
  readonly ofEvents: string;
  readonly ofGate: string;
}

/** Reads both feeds and the reference, asks for what is refused, and answers what the streams told, that of events from its beginning on. */
export async function readFeeds(
  stack: Stack,
  { note, key, wrongKey, misplaced, service }: ReadFeeds,
): Promise<ToldByStreams> {
  const { apiUrl } = stack.ready();
  const basic = (password: string) => `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}`;
  const wrong = encodeURIComponent(misplaced.query);
  for (const path of ['/feeds/incidents.atom', '/feeds/incidents.json']) {
    const status = async (to: string, password: string) =>
      (await callHttp(`${apiUrl}${to}`, { headers: { authorization: basic(password) } }, note)).status;
    expect(await status(path, key)).toBe(200);
    expect(await status(path, wrongKey)).toBe(401);
    expect(await status(`${path}?${wrong}=${wrong}`, key)).toBe(400);
    expect(await status(`${path}/${misplaced.path}`, key)).toBe(404);
  }
  for (const path of ['/openapi.json', '/docs']) {
    expect((await callHttp(`${apiUrl}${path}`, {}, note)).status).toBe(200);
  }
  const authorization = `Bearer ${key}`;
  const events = `${apiUrl}/v1/incidents/events`;
  const gate = `${apiUrl}/v1/gates/${service}/events`;
  const refused = [
    [`${events}?after=${wrong}`, 400],
    [`${events}?${wrong}=${wrong}`, 400],
    [`${gate}?${wrong}=${wrong}`, 400],
    [`${apiUrl}/v1/gates/${misplaced.path}/events`, 404],
  ] as const;
  for (const [url, status] of refused) {
    expect((await callHttp(url, { headers: { authorization } }, note)).status).toBe(status);
  }
  // All there are by now, and what a reader is told that asks for none of ours.
  const ready = await readStream(events, { authorization }, (text) => text.includes('event: ready'));
  const last = /^id: (\d+)$/m.exec(ready)?.[1] ?? '';
  const told = await readStream(`${events}?after=0`, { authorization }, (text) => text.includes(`id: ${last}\n`));
  expect(told).toContain(service);
  const lost = { authorization, 'last-event-id': misplaced.path };
  const anew = await readStream(events, lost, (text) => text.includes('event: reset'));
  return { ofEvents: ready + told + anew, ofGate: await readStream(gate, lost, (text) => text.includes('validUntil')) };
}
