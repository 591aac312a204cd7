/** What a silence covers: pages about one service, about one group (by the alias of its subject), or all. */
export type SilenceScope = 'service' | 'group' | 'all';

/** A silence that has begun and not ended. */
export interface LiveSilence {
  readonly id: string;
  readonly scope: SilenceScope;
  /** Service name or alias; null for all. */
  readonly target: string | null;
}

/** The incident that a page would be about. */
export interface SilencedIncident {
  /** Aliases of the subjects that name its group; none for a mass incident. */
  readonly groups: readonly string[];
  /** Names of its services. */
  readonly services: readonly string[];
}

/**
 * The silence that mutes the pages of an incident, or null: one for all, one for its group, or silences for all of its
 * services together, since nobody asked not to hear of the others. It mutes pages and nothing else: gates are held,
 * incidents opened and shown as ever. Source of the rule: DESIGN §5 and §7.
 */
export function findSilence<S extends LiveSilence>(silences: readonly S[], incident: SilencedIncident): S | null {
  const whole = silences.find(
    ({ scope, target }) => scope === 'all' || (scope === 'group' && incident.groups.some((group) => group === target)),
  );
  if (whole !== undefined) return whole;
  const byService = incident.services.map((service) =>
    silences.find(({ scope, target }) => scope === 'service' && target === service),
  );
  const [first] = byService;
  return first !== undefined && byService.every((silence) => silence !== undefined) ? first : null;
}
