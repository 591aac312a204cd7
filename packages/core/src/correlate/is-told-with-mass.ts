/**
 * Whether a group's own incident was told as part of a mass outage that could not be seen yet: its verification had failed for as
 * long as the debounce while the reports of it were still on their way. Such an incident merges into the mass outage once the
 * group is down by report too, while that may be joined. Older ones, and later ones, are outages of their own.
 * @param openedAt epoch ms at which the group's own incident opened, or reopened last
 * @param mass when the mass outage began, or began anew, in epoch ms; and `mass.window` in milliseconds
 */
export function isToldWithMass(
  openedAt: number,
  mass: { readonly begunAt: number; readonly windowMs: number },
): boolean {
  return openedAt <= mass.begunAt && openedAt >= mass.begunAt - mass.windowMs;
}
