/** The public id of an observation, derived from its key (a uuid): a raced repeat is answered with the same id. */
export function observationId(key: string): string {
  return `obs_${key.replaceAll('-', '')}`;
}
