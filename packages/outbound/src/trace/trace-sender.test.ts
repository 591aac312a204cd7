import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loopbackGuard, startHttp, unusedPort } from '../../test/loopback.ts';
import { createTraceSender, type TraceOutcome } from './trace-sender.ts';
import type { TracedSpan } from './traced-span.ts';

const span = (over: Partial<TracedSpan>): TracedSpan => ({
  name: 'record',
  trace: 'obs_one',
  span: 'obs_one',
  parent: null,
  links: [],
  startMs: 1_764_489_600_000,
  endMs: 1_764_489_600_250,
  failed: false,
  attributes: {},
  ...over,
});

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: { key: string; value: Record<string, unknown> }[];
  readonly links: { traceId: string; spanId: string }[];
  readonly status: { code: number };
}

interface Sent {
  readonly resourceSpans: { scopeSpans: { spans: SentSpan[] }[]; resource: { attributes: unknown[] } }[];
}

async function sendAll(spans: TracedSpan[], status = 200, headers = {}) {
  const outcomes: TraceOutcome[] = [];
  const server = await startHttp((_request, response) => response.writeHead(status).end('{}'));
  const url = `${server.url}/v1/traces`;
  const sender = createTraceSender({ url, headers, guard: loopbackGuard(), onOutcome: (one) => outcomes.push(one) });
  sender.send(spans);
  await sender.close();
  const sent = server.seen.flatMap(({ body }) =>
    (JSON.parse(body) as Sent).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  return { outcomes, sent, seen: server.seen };
}

describe('the sender of traces', () => {
  it('posts OTLP JSON with the headers of the owner, in one batch', async () => {
    const { outcomes, seen, sent } = await sendAll([span({}), span({ span: 'b' })], 200, { 'x-key': 'invented' });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /v1/traces']);
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'invented' });
    expect(sent).toHaveLength(2);
    expect(outcomes).toEqual([{ sent: 2 }]);
    expect(seen[0]?.body).toContain('{"key":"service.name","value":{"stringValue":"tidegate"}}');
  });

  it('derives ids from names, so that two processes meet in one trace without telling each other', async () => {
    const child = span({ name: 'verify', span: 'ver_one', parent: 'obs_one' });
    const apart = span({ name: 'verify', trace: 'ver_two', span: 'ver_two', links: ['obs_one'] });
    const { sent: first } = await sendAll([span({})]);
    const { sent: second } = await sendAll([child, apart]);
    const [root] = first;
    expect(root?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(root?.parentSpanId ?? '').toBe('');
    expect(second[0]).toMatchObject({ traceId: root?.traceId, parentSpanId: root?.spanId });
    expect(second[1]?.traceId).not.toBe(root?.traceId);
    expect(second[1]?.links).toMatchObject([{ traceId: root?.traceId, spanId: root?.spanId }]);
  });

  it('sends times, attributes and failure as they are', async () => {
    const { sent } = await sendAll([span({ failed: true, attributes: { 'tidegate.verdict': 'agent_down', n: 3 } })]);
    expect(sent[0]).toMatchObject({
      name: 'record',
      startTimeUnixNano: '1764489600000000000',
      endTimeUnixNano: '1764489600250000000',
      status: { code: 2 },
      attributes: [
        { key: 'tidegate.verdict', value: { stringValue: 'agent_down' } },
        { key: 'n', value: { intValue: 3 } },
      ],
    });
  });

  it('drops what is not taken, and says why by a code', async () => {
    expect((await sendAll([span({})], 503)).outcomes).toEqual([{ dropped: 1, reason: 'status', status: 503 }]);
    const outcomes: TraceOutcome[] = [];
    const url = `http://127.0.0.1:${await unusedPort()}/v1/traces`;
    const sender = createTraceSender({
      url,
      headers: {},
      guard: loopbackGuard(),
      onOutcome: (one) => outcomes.push(one),
    });
    sender.send([span({})]);
    await sender.close();
    expect(outcomes).toEqual([{ dropped: 1, reason: 'refused', status: null }]);
  });

  it('loads OpenTelemetry with itself and no sooner: one file imports it, and that is imported on demand', () => {
    const index = readFileSync(new URL('../index.ts', import.meta.url), 'utf8');
    const sender = readFileSync(new URL('./trace-sender.ts', import.meta.url), 'utf8');
    expect(index + sender).not.toMatch(/@opentelemetry|from '\.[^']*otlp-spans\.ts'/);
    expect(sender).toContain("import('./otlp-spans.ts')");
  });
});
