const BEARER = /^Bearer +(tdg_[A-Za-z0-9]{16,128})$/i;

/** The API key of an `Authorization` header, or null when it holds none. Only what has the form of a key costs a look-up. */
export function parseBearerKey(header: string | undefined): string | null {
  const key = BEARER.exec(header ?? '')?.[1];
  return key?.startsWith('tdg_') ? key : null;
}
