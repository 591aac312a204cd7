/** Ids of ours are a prefix, `_`, then letters and digits; only those are worth a read. */
const REST = /^[A-Za-z0-9]{1,64}$/;

/** Whether this can be a public id with the given prefix, as `inc_…`. */
export function isPublicId(id: string, prefix: 'inc' | 'cb' | 'rec' | 'sil'): boolean {
  return id.startsWith(`${prefix}_`) && REST.test(id.slice(prefix.length + 1));
}
