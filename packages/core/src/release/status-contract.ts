import { z } from 'zod';

/** An answer that a destination gives to a status lookup. */
const answerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  /** Text that the body holds; any body when left out. */
  bodyIncludes: z.string().min(1).max(1024).optional(),
});

/** How to ask a destination what became of a callback, and what its answers mean. Stored sealed. */
export const statusContractSchema = z.strictObject({
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  complete: answerSchema,
  notFound: answerSchema,
});
export type StatusContract = z.output<typeof statusContractSchema>;

export type StatusResult = 'complete' | 'not_found' | 'unknown';

/**
 * Reads the answer to a status lookup. What fits neither description, or both, is unknown: it proves nothing.
 * @param body as much of it as was read, as UTF-8
 */
export function judgeStatus(
  { complete, notFound }: Pick<StatusContract, 'complete' | 'notFound'>,
  status: number,
  body: string,
): StatusResult {
  const fits = (expected: z.output<typeof answerSchema>) =>
    expected.status === status && (expected.bodyIncludes === undefined || body.includes(expected.bodyIncludes));
  const isComplete = fits(complete);
  const isNotFound = fits(notFound);
  if (isComplete === isNotFound) return 'unknown';
  return isComplete ? 'complete' : 'not_found';
}
