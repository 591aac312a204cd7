/** What of a group tells whether anything can happen to it. */
interface Restless {
  readonly place: number;
  readonly pending: object | null;
  readonly lookAgainAt: number | null;
  readonly open: object | null;
}

/**
 * The groups of a source group that anything can happen to although nothing is received: with something pending, to look at
 * again, or open. Of many devices few are ever out of order at once, so a moment costs what they cost, and not what all would.
 */
export class BusyGroups<Group extends Restless> {
  readonly #busy = new Set<Group>();
  /** Those that were reported of or decided on since the last `takeChanged`. */
  #changed = new Set<Group>();
  #sorted: readonly Group[] | null = null;

  /** To be told whenever a group is reported of, decided on, or gets something pending. */
  touch(group: Group): void {
    this.#changed.add(group);
    if (this.#busy.has(group)) return;
    this.#busy.add(group);
    this.#sorted = null;
  }

  /** In the order in which groups are played, whatever happened to them first. */
  list(): readonly Group[] {
    for (const group of this.#busy) {
      if (group.pending !== null || group.lookAgainAt !== null || group.open !== null) continue;
      this.#busy.delete(group);
      this.#sorted = null;
    }
    this.#sorted ??= [...this.#busy].sort((a, b) => a.place - b.place);
    return this.#sorted;
  }

  takeChanged(): ReadonlySet<Group> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }
}
