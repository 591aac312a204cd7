/**
 * The pages that one can be led to. What else stands in an address is not repeated, since it may be a secret in the wrong place
 * (I3): so the page of one service, whose name can be anything, becomes the list of them.
 */
const PAGE =
  /^\/(?:incidents(?:\/inc_[A-Za-z0-9]{1,64})?|callbacks(?:\/cb_[A-Za-z0-9]{1,64})?|services|sources|subjects|audit)?$/;
const STATE = /^[a-z_]{1,20}$/;

/** The page of ours to go on to, or the first one: never another site, whatever was asked for. */
export function readNextPath(next: string | undefined): string {
  const [path = '', query = ''] = (next ?? '').split('?', 2);
  if (/^\/services\/[^/]+$/.test(path)) return '/services';
  if (!PAGE.test(path)) return '/';
  const state = new URLSearchParams(query).get('state');
  return state !== null && STATE.test(state) ? `${path}?state=${state}` : path;
}
