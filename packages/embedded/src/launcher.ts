/** How a Postgres program is started on this machine. Postgres refuses to run as root, and must not outlive us. */
export interface Launcher {
  name: string;
  prefix: string[];
  /** User to start as, or null to stay who we are. */
  spawnAs: number | null;
  /** User that must own the data folder, or null to leave it as it is. */
  ownerUid: number | null;
  diesWithParent: boolean;
}
