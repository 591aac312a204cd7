const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Whether two addresses have one host, so that who asks the one comes in by the other; ports and paths play no part. Either
 * may lack its scheme, as API v2 may give a tunnel's. Text that is no address leads nowhere.
 */
export function leadsTo(address: string, other: string): boolean {
  const host = hostOf(address);
  return host !== null && host === hostOf(other);
}

function hostOf(address: string): string | null {
  // Read as a web address: of other schemes a URL keeps the host as it is spelled.
  const text = `http://${address.trim().replace(SCHEME, '')}`;
  if (!URL.canParse(text)) return null;
  const host = new URL(text).hostname.replace(/\.$/, '');
  return host === '' ? null : host;
}
