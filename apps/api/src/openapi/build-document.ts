import { buildProblemResponses, buildResponses } from './build-responses.ts';
import { type Operation, TAGS } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { listParameters } from './parameters.ts';
import { refTo, toJsonSchemas } from './schema-registry.ts';

const DESCRIPTION = [
  'Errors are problem details (RFC 9457): switch on `code`, show `detail`; `errors` names each field that was not accepted.',
  'Lists come newest first, in pages of up to 500. Times are RFC 3339 in UTC. Unknown members of an answer are to be passed over.',
  'Keys are made with `tidegate keys create`; one that is limited to some services sees and does nothing for others.',
].join('\n\n');

/** The OpenAPI 3.1 document: the routes of `operations.ts`, with the schemas of the contract. */
export function buildDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tidegate',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document was fetched from.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: buildPaths(),
    components: {
      schemas: toJsonSchemas(),
      securitySchemes: {
        bearerKey: { type: 'http', scheme: 'bearer', bearerFormat: 'tdg_…', description: 'An API key.' },
        basicKey: { type: 'http', scheme: 'basic', description: 'An API key as the password, under any user name.' },
      },
      responses: buildProblemResponses(),
    },
  };
}

/** The router's `:id` is `{id}` here. */
export function toTemplate(path: string): string {
  return path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}

function buildPaths(): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    const template = toTemplate(operation.path);
    paths[template] = { ...paths[template], [operation.method]: buildOperation(operation) };
  }
  return paths;
}

function buildOperation(operation: Operation) {
  const { id, tag, summary, description, scopes, auth, body, example } = operation;
  const parameters = listParameters(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    // Roles beside the scheme are what 3.1 has for scopes of a plain key: any one of them is enough.
    security: [...(auth === 'basic' ? ['basicKey'] : []), 'bearerKey'].flatMap((scheme) =>
      scopes.map((scope) => ({ [scheme]: [scope] })),
    ),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: body.required,
        content: { 'application/json': { schema: refTo(body.schema), example: example.body } },
      },
    }),
    responses: buildResponses(operation),
  };
}
