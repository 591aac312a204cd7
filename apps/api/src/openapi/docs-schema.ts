import { html } from 'hono/html';
import { renderWords } from './render-words.ts';
import type { JsonSchema } from './schema-registry.ts';

type Html = ReturnType<typeof html>;
const REF = '#/components/schemas/';

/** The members of an object, those of objects in it below them. */
export function renderSchema(name: string, schema: JsonSchema): Html {
  const rows = listRows(schema, '');
  if (rows.length === 0) return html`<p>${describeSchema(schema)}</p>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="Members: ${name}"><table><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>
${rows.map(({ name, required, schema: member }) => html`<tr><th scope="row"><code>${name}</code>${required ? '' : ' (optional)'}</th><td>${describeSchema(member)}</td><td>${renderWords(member.description ?? '')}</td></tr>`)}</tbody></table></div>`;
}

interface Row {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

function listRows(schema: JsonSchema, prefix: string): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const row = { name: prefix + name, required: schema.required?.includes(name) ?? false, schema: member };
    const inner = unwrap(member);
    return [row, ...listRows(inner, `${prefix}${name}${inner === member ? '' : suffixOf(member)}.`)];
  });
}

/** The object that a list holds, or that may be null. */
function unwrap(schema: JsonSchema): JsonSchema {
  if (schema.items !== undefined) return unwrap(schema.items);
  const present = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return present.length === 1 && present[0] !== undefined ? unwrap(present[0]) : schema;
}

const suffixOf = (schema: JsonSchema): string => (schema.items === undefined ? '' : '[]');

/** A schema in a few words. */
export function describeSchema(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(REF.length);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.items !== undefined) return html`list of ${describeSchema(schema.items)}`;
  if (schema.anyOf !== undefined) {
    return html`${schema.anyOf.map((one, at) => html`${at > 0 ? ' or ' : ''}${describeSchema(one)}`)}`;
  }
  if (schema.enum !== undefined) {
    return html`${schema.enum.map((one, at) => html`${at > 0 ? ' | ' : ''}<code>${String(one)}</code>`)}`;
  }
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  return html`${[typeOf(schema), ...listBounds(schema)].join(', ')}`;
}

function typeOf({ type, format, additionalProperties }: JsonSchema): string {
  const named = format === 'date-time' ? 'time' : typeof type === 'string' ? type : (type?.join(' or ') ?? 'any JSON');
  return named === 'object' && typeof additionalProperties === 'object' ? `${named} of any names` : named;
}

function listBounds({ minimum, maximum, minLength, maxLength, default: unlessGiven }: JsonSchema): string[] {
  const size = maxLength === undefined ? [] : [`${minLength ?? 0} to ${maxLength} characters`];
  const least = minimum === undefined ? [] : [`${minimum} or more`];
  const range = minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}`] : least;
  return [...size, ...range, ...(unlessGiven === undefined ? [] : [`${JSON.stringify(unlessGiven)} unless given`])];
}
