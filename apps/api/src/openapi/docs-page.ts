import { html } from 'hono/html';
import { PROBLEM_CODES, type ProblemStatus } from '../answer/problem-codes.ts';
import { ANSWER_EXAMPLES } from './answer-examples.ts';
import { toTemplate } from './build-document.ts';
import { describeSchema, renderSchema } from './docs-schema.ts';
import { listCodes, listProblems } from './list-problems.ts';
import { type Operation, TAGS, type Tag } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { listParameters } from './parameters.ts';
import { renderWords } from './render-words.ts';
import { type JsonSchema, SCHEMAS, type SchemaName, toJsonSchemas } from './schema-registry.ts';
import { toCurl } from './to-curl.ts';

type Html = ReturnType<typeof html>;

/** The reference as one page: no script, one style sheet of ours. Everything in it is escaped by the template. */
export function renderDocs(stylePath: string): Html {
  const schemas = toJsonSchemas();
  const tags = Object.entries(TAGS) as [Tag, string][];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidegate API</title>
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header><h1>Tidegate API</h1>
<p>Also as <a href="/openapi.json">OpenAPI 3.1</a>. Keys are made with <code>tidegate keys create</code>; the examples expect one in
<code>TIDEGATE_KEY</code>, and the address of the api in <code>TIDEGATE_URL</code>.</p></header>
<nav aria-label="Contents"><ul>
${tags.map(([tag]) => html`<li><a href="#${tag}">${tag}</a><ul>${ofTag(tag).map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`)}</ul></li>`)}
<li><a href="#errors">errors</a></li><li><a href="#schemas">schemas</a></li></ul></nav>
<main id="content">
${tags.map(([tag, words]) => html`<section aria-labelledby="${tag}"><h2 id="${tag}">${tag}</h2><p>${words}</p>${ofTag(tag).map(renderOperation)}</section>`)}
<section aria-labelledby="errors"><h2 id="errors">errors</h2><p>Problem details (RFC 9457): switch on <code>code</code>, show <code>detail</code>.</p>
<dl>${STATUSES.map((status) => html`<dt>${status}</dt>${listCodes(status).map(([code, words]) => html`<dd><code>${code}</code>: ${renderWords(words)}</dd>`)}`)}</dl></section>
<section aria-labelledby="schemas"><h2 id="schemas">schemas</h2>${(Object.keys(SCHEMAS) as SchemaName[]).map((name) => renderNamed(name, schemas[name]))}</section>
</main>
</body>
</html>`;
}

const STATUSES = Object.keys(PROBLEM_CODES).map(Number) as ProblemStatus[];
const ofTag = (tag: Tag) => OPERATIONS.filter((operation) => operation.tag === tag);

function renderOperation(operation: Operation): Html {
  const { id, method, path, summary, description, scopes, body } = operation;
  const parameters = listParameters(operation);
  const problems = listProblems(operation);
  return html`<article aria-labelledby="${id}"><h3 id="${id}">${summary}</h3>
<p class="route"><span class="method">${method.toUpperCase()}</span> <code>${toTemplate(path)}</code></p>
${description === undefined ? '' : html`<p>${renderWords(description)}</p>`}
<p>${scopes.length === 0 ? 'No key is needed.' : html`Scope: ${scopes.map((scope, at) => html`${at > 0 ? ' or ' : ''}<code>${scope}</code>`)}`}</p>
${parameters.length === 0 ? '' : renderParameters(summary, parameters)}
${body === undefined ? '' : html`<p>Body: <a href="#${body.schema}">${body.schema}</a></p>`}
${renderAnswer(operation)}
${problems.length === 0 ? '' : html`<p>Problems: ${problems.join(', ')}</p>`}
<pre tabindex="0" role="region" aria-label="Example: ${summary}"><code>${toCurl(operation)}</code></pre></article>`;
}

function renderAnswer({ answer }: Operation): Html {
  const { status, description, schema, mediaType = '', messages = {}, headers = {}, conditional } = answer;
  return html`<p>${status}: ${description} ${schema === null ? html`<code>${mediaType}</code>` : linkTo(schema)}${conditional ? '; 304 if it has not changed.' : ''}</p>
${Object.entries(messages).map(([name, of]) => html`<p>Message <code>${name}</code>: ${linkTo(of)}</p>`)}
${Object.entries(headers).map(([name, words]) => html`<p>Header <code>${name}</code>: ${renderWords(words)}</p>`)}`;
}

const linkTo = (name: SchemaName): Html => html`<a href="#${name}">${name}</a>`;

function renderParameters(summary: string, parameters: ReturnType<typeof listParameters>): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="Parameters: ${summary}"><table><thead><tr><th scope="col">Parameter</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>
${parameters.map(
  ({ name, in: place, required, schema, description }) =>
    html`<tr><th scope="row"><code>${name}</code></th><td>${place}</td><td>${describeSchema(schema)}</td><td>${required ? 'Required. ' : ''}${renderWords(description)}</td></tr>`,
)}</tbody></table></div>`;
}

function renderNamed(name: SchemaName, schema: JsonSchema): Html {
  const example = ANSWER_EXAMPLES[name];
  const shown = example === undefined ? '' : JSON.stringify(example, null, 2);
  return html`<article aria-labelledby="${name}"><h3 id="${name}">${name}</h3>${renderSchema(name, schema)}
${shown === '' ? '' : html`<details><summary>Example</summary><pre tabindex="0" role="region" aria-label="Example: ${name}"><code>${shown}</code></pre></details>`}</article>`;
}
