import { createHash } from 'node:crypto';
import { ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { TracedSpan } from './traced-span.ts';

/** Spans on their way into batches. */
export interface OtlpSpans {
  add(spans: readonly TracedSpan[]): void;
  close(): Promise<void>;
}

/** `ExportResultCode` of the exporter contract; a failure is told by `post` itself. */
const EXPORTED = 0;
const MAX_WAITING = 4096;
const MAX_BATCH = 512;

/** Makes OpenTelemetry's own spans, batches and JSON of ours. No context is global, and nothing is instrumented. */
export function createOtlpSpans(post: (body: Uint8Array, count: number) => Promise<void>, everyMs: number): OtlpSpans {
  const ids = createIds();
  const exporter: SpanExporter = {
    export(spans, done) {
      const body = JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
      void post(body, spans.length).finally(() => done({ code: EXPORTED }));
    },
    shutdown: () => Promise.resolve(),
  };
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: MAX_WAITING,
    maxExportBatchSize: MAX_BATCH,
    scheduledDelayMillis: everyMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'tidegate' }),
    sampler: new AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('tidegate');
  return {
    add(spans) {
      for (const told of spans) {
        ids.next(told);
        const parent = told.parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, toParent(told));
        const links = told.links.map((name) => ({ context: contextOf(name, name) }));
        const span = tracer.startSpan(
          told.name,
          { kind: SpanKind.INTERNAL, startTime: told.startMs, attributes: { ...told.attributes }, links },
          parent,
        );
        if (told.failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(told.endMs);
      }
    },
    close: () => provider.shutdown(),
  };
}

/** Ids for the span that is started next; a trace is found from its name by whoever knows it, and nothing is stored for it. */
function createIds(): IdGenerator & { next(span: TracedSpan): void } {
  let named: { trace: string; span: string } = { trace: '', span: '' };
  return {
    next({ trace: name, span }) {
      named = { trace: name, span };
    },
    generateTraceId: () => digest('trace', named.trace, 32),
    generateSpanId: () => digest('span', `${named.trace} ${named.span}`, 16),
  };
}

function toParent({ trace: name, parent }: TracedSpan): SpanContext {
  return contextOf(name, parent ?? name);
}

function contextOf(name: string, span: string): SpanContext {
  return {
    traceId: digest('trace', name, 32),
    spanId: digest('span', `${name} ${span}`, 16),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

function digest(what: 'trace' | 'span', name: string, length: number): string {
  return createHash('sha256').update(`tidegate ${what} ${name}`).digest('hex').slice(0, length);
}
