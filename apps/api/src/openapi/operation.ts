import type { Scope } from '@tidegate/client';
import type { z } from 'zod';
import type { ProblemStatus } from '../answer/problem-codes.ts';
import type { SchemaName } from './schema-registry.ts';

/** One route as the document tells it. `operations.ts` holds all of them; a test compares them with the routes there are. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** As the router has it: `/v1/incidents/:id`. */
  readonly path: string;
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** More than the summary says, in plain sentences. */
  readonly description?: string;
  /** Any one of them is enough; none means that no key is asked for. */
  readonly scopes: readonly Scope[];
  /** Whether the key may be the password of HTTP Basic as well as a bearer token. */
  readonly auth?: 'basic';
  /** The schema that the route itself reads its query with. */
  readonly query?: z.ZodObject;
  readonly headers?: readonly HeaderParameter[];
  readonly body?: { readonly schema: SchemaName; readonly required: boolean };
  readonly answer: Answer;
  /** Statuses of the problems it may answer, besides those that every route with a key and a query has. */
  readonly problems?: readonly ToldStatus[];
  /** A request that works in the example installation; tests send it. */
  readonly example: {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
}

interface HeaderParameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
}

interface Answer {
  readonly status: 200 | 201;
  readonly description: string;
  /** Null for what is no JSON. */
  readonly schema: SchemaName | null;
  /** `application/json` unless told otherwise. */
  readonly mediaType?: string;
  /** Of a stream: what the data of each message with a name is. */
  readonly messages?: Readonly<Record<string, SchemaName>>;
  /** Headers that a caller can use, and what for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether who knows the answer by its tag or date is told 304. */
  readonly conditional?: true;
}

export const TAGS = {
  incidents: 'What is down, since when, and what was done about it.',
  gates: 'May a callback be sent now?',
  callbacks: 'Operations that were handed over, to be sent when it is safe.',
  inventory: 'What Tidegate knows: services, sources, devices and tunnels, and what was reported of them.',
  feeds: 'The same incidents for feed readers.',
  process: 'Of this process itself.',
} as const;
export type Tag = keyof typeof TAGS;

/** Those that are told of each operation; the others may come from any. */
export type ToldStatus = Exclude<ProblemStatus, 408 | 431 | 500>;
export const TOLD_STATUSES = [
  400, 401, 403, 404, 405, 409, 413, 415, 422, 503,
] as const satisfies readonly ToldStatus[];

/** Names of the example installation, as its config and its ids could be. */
export const EXAMPLE = {
  service: 'research-agent',
  incident: 'inc_4x7k2m9qhtw6',
  callback: 'cb_8d3f5j1vznpa',
  payloadHash: '9f3c1d7a52e84b60c8f1e2d3a4b5968778695a4b3c2d1e0ff0e1d2c3b4a59687',
  reconciliation: 'rec_2b6c9r4ysgwk',
  silence: 'sil_5n8q1t7xdmzh',
} as const;
