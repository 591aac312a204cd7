import { describe, expect, it } from 'vitest';
import { classifyStoreError, toStoreError } from './store-error.ts';

const NETWORK = 'ECONNREFUSED ECONNRESET EHOSTUNREACH EHOSTDOWN ENETUNREACH EADDRNOTAVAIL ENOTFOUND EAI_AGAIN ENOENT';
const SQLSTATES = '08006 53300 57P01 57P03 58000 58030 58P01 25006';

describe('a failed statement', () => {
  it.each(`${NETWORK} ${SQLSTATES}`.split(' '))('%s means that the store is away, and that waiting helps', (code) => {
    expect(classifyStoreError({ code })).toBe('unavailable');
    expect(toStoreError({ code })).toMatchObject({ code: 'store_unavailable', detail: code, retryable: true });
  });

  it.each([
    ['conflict', '40P01', true],
    ['bad_data', '23505', false],
    ['other', '25001', false],
    ['other', '42P01', false],
    ['other', 'EACCES', false],
  ])('is %s with %s', (failure, code, retryable) => {
    expect(classifyStoreError({ code })).toBe(failure);
    expect(toStoreError({ code })).toMatchObject({ code: 'store_failed', detail: code, retryable });
  });
});
