import { z } from 'zod';

const readiness = z.object({
  status: z.literal('degraded'),
  dependencies: z.record(z.string().max(100), z.unknown()).optional(),
});
const MOST_NAMES = 50;

/**
 * What a readiness answer says is degraded: the names of its dependencies that are not `ok`, none when it names none; null
 * when the answer is not JSON or does not call itself degraded. Pure. The names are raw: compare them, do not show them.
 */
export function readDegraded(body: Buffer): readonly string[] | null {
  const parsed = readiness.safeParse(readJson(body));
  if (!parsed.success) return null;
  const names = Object.entries(parsed.data.dependencies ?? {}).flatMap(([name, state]) =>
    state === 'ok' ? [] : [name],
  );
  return names.slice(0, MOST_NAMES);
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
