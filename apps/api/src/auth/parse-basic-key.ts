const BASIC = /^Basic +([A-Za-z0-9+/]{8,400}={0,2})$/i;
const PASSWORD = /^[^:]*:(tdg_[A-Za-z0-9]{16,128})$/;

/** The API key that an `Authorization: Basic` header has as its password, under any name, or null: most feed readers know no other way. */
export function parseBasicKey(header: string | undefined): string | null {
  const encoded = BASIC.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  return PASSWORD.exec(Buffer.from(encoded, 'base64').toString('utf8'))?.[1] ?? null;
}
