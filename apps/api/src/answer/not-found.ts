import { problem } from './problem.ts';

/** One answer for what does not exist and for what the key may not see. */
export function notFound(): Response {
  return problem({
    status: 404,
    code: 'not_found',
    detail: 'There is nothing here, or nothing that this key may see.',
  });
}
