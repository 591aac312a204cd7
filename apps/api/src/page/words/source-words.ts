/** What became of the deliveries of a source, behind their number; a newer receiver may count more than these. */
export const DELIVERY_WORDS: Readonly<Record<string, string>> = {
  recorded: 'new',
  repeated: 'repeats',
  malformed: 'not understood',
  media_type: 'not JSON',
  too_large: 'too large',
  not_allowed: 'from an address that is not allowed',
  rate_limited: 'turned away for their rate',
  refused: 'refused by the database',
  unavailable: 'not taken, since the database was away',
};
