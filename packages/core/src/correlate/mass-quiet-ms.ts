/** How long a group must be quiet to join a mass outage that is open: in the midst of a burst its reports would wait for us. */
export const MASS_QUIET_MS = 3000;
