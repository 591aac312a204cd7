/** A revoked key is noticed within this and the two seconds that a key is remembered: well below the 30 s that are promised. */
const LOOK_EVERY_MS = 10_000;
/** A key that cannot be looked up for this long counts as refused. */
const LONGEST_UNSURE_MS = 15_000;

/**
 * Looks again and again whether whoever reads a stream still may, and calls `onRefused` once when not, or when the store has not
 * been able to say so for a while.
 * @param onRefused is told whether it is known that they may not
 * @returns ends the looking
 */
export function watchAccess(
  mayStill: () => Promise<boolean>,
  onRefused: (isRefused: boolean) => void,
  {
    everyMs = LOOK_EVERY_MS,
    unsureMs = LONGEST_UNSURE_MS,
  }: { readonly everyMs?: number; readonly unsureMs?: number } = {},
): () => void {
  let sureAtMs = performance.now();
  let ended = false;
  const end = () => {
    ended = true;
    clearInterval(timer);
  };
  const look = async () => {
    const may = await mayStill().catch(() => null);
    if (ended) return;
    if (may === true) sureAtMs = performance.now();
    else if (may === false || performance.now() - sureAtMs >= unsureMs) {
      end();
      onRefused(may === false);
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  return end;
}
