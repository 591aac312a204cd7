import { PAGE_LIMIT } from '@tidegate/client';
import type { Operation } from './operation.ts';
import { type JsonSchema, toJsonSchema } from './schema-registry.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

interface Words {
  readonly description: string;
  /** Where what is read off the query is a text, and what is meant is not. */
  readonly schema?: JsonSchema;
}

/** What each query parameter means, by its name; a new one without an entry here fails a test. */
export const QUERY_WORDS: Readonly<Record<string, Words>> = {
  cursor: { description: 'The `nextCursor` of the page before.' },
  limit: {
    description: 'How many items a page holds at most.',
    schema: {
      type: 'integer',
      minimum: PAGE_LIMIT.lowest,
      maximum: PAGE_LIMIT.highest,
      default: PAGE_LIMIT.unlessGiven,
    },
  },
  state: { description: 'Only those in this state.' },
  kind: { description: 'Only those of this kind.' },
  service: { description: 'Only what concerns this service; for gates several names, separated by commas.' },
  since: { description: 'Only what is no older than this.' },
  subject: { description: 'Only what was reported of the device or tunnel with this alias.' },
  status: { description: 'Only those with this status.' },
  source: { description: 'Only what came from, or belongs to, this source.' },
  group: { description: 'Only those of this source group.' },
  type: { description: 'Only devices, or only tunnels.' },
  channel: { description: 'Only what was told to this channel.' },
  incident: { description: 'Only what was told about this incident.' },
  after: {
    description: 'The number to begin after, for who cannot send Last-Event-ID at first; 0 for all that are kept.',
    schema: { type: 'integer', minimum: 0 },
  },
  wait: {
    description: 'Wait for a change, 1s to 60s.',
    schema: { type: 'string', pattern: '^(?:[1-9]|[1-5][0-9]|60)s$' },
  },
  generation: {
    description: 'The generation the caller knows: another one is a change.',
    schema: { type: 'integer', minimum: 0 },
  },
};

const PATH_WORDS: Readonly<Record<string, string>> = {
  id: 'The id, as lists tell it.',
  service: 'The name of a service, as the config gives it.',
};

/** Every parameter of an operation: of its path, of the schema its query is read with, and of its headers. */
export function listParameters({ path, query, headers = [] }: Operation): Parameter[] {
  const names = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => name);
  const asked = query === undefined ? {} : (toJsonSchema(query).properties ?? {});
  return [
    ...names.map((name): Parameter => {
      return { name, in: 'path', required: true, description: PATH_WORDS[name] ?? '', schema: { type: 'string' } };
    }),
    ...Object.entries(asked).map(([name, schema]): Parameter => {
      const words = QUERY_WORDS[name];
      return {
        name,
        in: 'query',
        required: false,
        description: words?.description ?? '',
        schema: words?.schema ?? schema,
      };
    }),
    ...headers.map(({ name, required, description }): Parameter => {
      return { name, in: 'header', required, description, schema: { type: 'string' } };
    }),
  ];
}
