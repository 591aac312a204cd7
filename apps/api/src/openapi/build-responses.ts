import { PROBLEM_MEDIA_TYPE, type Problem } from '@tidegate/client';
import { type ProblemInit, problemBody } from '../answer/problem.ts';
import { ANSWER_EXAMPLES } from './answer-examples.ts';
import { listCodes, listProblems } from './list-problems.ts';
import { type Operation, TOLD_STATUSES, type ToldStatus } from './operation.ts';
import { type JsonSchema, refTo } from './schema-registry.ts';

const NOT_TOLD = [408, 431, 500] as const;
/** Headers that come with some problems. */
const PROBLEM_HEADERS: { readonly [S in ToldStatus]?: Readonly<Record<string, string>> } = {
  401: { 'WWW-Authenticate': 'How a key is presented, and what was wrong with the one that was.' },
  405: { Allow: 'The methods that the path takes.' },
  409: { 'Retry-After': 'Seconds until it is worth sending again, where that helps.' },
  503: { 'Retry-After': 'Seconds until it is worth asking again.' },
};

/** What an operation may answer: what was asked for, that nothing has changed, or a problem. */
export function buildResponses(operation: Operation) {
  const { answer } = operation;
  const problems = listProblems(operation).map((status) => [status, problemRef(`Problem${status}`)]);
  const headers = headersOf(answer.headers);
  return {
    [answer.status]: {
      description: answer.description,
      ...headers,
      content: { [answer.mediaType ?? 'application/json']: { schema: schemaOf(answer), ...exampleOf(answer) } },
    },
    ...(answer.conditional && { 304: { description: 'It has not changed since; there is no body.', ...headers } }),
    ...Object.fromEntries(problems),
    default: problemRef('Problem'),
  };
}

/** The problems that operations refer to, each with its codes and one example. */
export function buildProblemResponses() {
  const told = TOLD_STATUSES.map((status) => {
    const example = exampleProblem(status);
    return [`Problem${status}`, describe(`${example.title}. ${tellCodes(status)}`, example, PROBLEM_HEADERS[status])];
  });
  const others = `Anything else. ${NOT_TOLD.map((status) => `${status}: ${tellCodes(status)}`).join(' ')}`;
  return { ...Object.fromEntries(told), Problem: describe(others, exampleProblem(500)) };
}

/** A problem as it is answered. */
export function exampleProblem(status: ToldStatus | 500): Problem {
  const [[code, words] = ['', '']] = listCodes(status);
  const detail = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`.replaceAll('`', '');
  const init = { status, code, detail } as ProblemInit;
  if (status === 400) return problemBody({ ...init, errors: [{ field: 'limit', problem: 'out_of_range' }] });
  return problemBody(status === 403 ? { ...init, scope: 'incidents:write' } : init);
}

const problemRef = (name: string) => ({ $ref: `#/components/responses/${name}` });
const tellCodes = (status: ToldStatus | (typeof NOT_TOLD)[number]) =>
  `${listCodes(status)
    .map(([code, words]) => `\`${code}\`: ${words}`)
    .join('; ')}.`;

function describe(description: string, example: Problem, headers?: Readonly<Record<string, string>>) {
  const content = { [PROBLEM_MEDIA_TYPE]: { schema: refTo('Problem'), example } };
  return { description, ...headersOf(headers), content };
}

function headersOf(headers: Readonly<Record<string, string>> | undefined) {
  if (headers === undefined) return {};
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return { headers: Object.fromEntries(described) };
}

function schemaOf({ schema, messages }: Operation['answer']): JsonSchema {
  if (schema === null) return { type: 'string' };
  if (messages === undefined) return refTo(schema);
  const named = Object.entries(messages).map(([name, of]) => ({
    ...refTo(of),
    description: `The data of the message \`${name}\`.`,
  }));
  return { anyOf: [{ ...refTo(schema), description: 'The data of each message without a name.' }, ...named] };
}

function exampleOf({ schema }: Operation['answer']): { example?: unknown } {
  return schema === null ? {} : { example: ANSWER_EXAMPLES[schema] };
}
