import { AppError } from '@tidegate/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { failureCode, toQueueError } from './failure-code.ts';

const withCode = (code: unknown) => Object.assign(new Error('secret-canary'), { code });
const reply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });

describe('a failure code', () => {
  it.each([
    [withCode('ECONNREFUSED'), 'ECONNREFUSED'],
    [withCode('57P01'), '57P01'],
    [withCode('ERR_SOCKET_CLOSED'), 'ERR_SOCKET_CLOSED'],
    [new AppError({ code: 'sealed_value_corrupt', publicMessage: 'x' }), 'sealed_value_corrupt'],
    [reply('OOM command not allowed'), 'redis_oom'],
    [reply('WRONGPASS invalid username-password pair'), 'redis_wrongpass'],
    [withCode('tdg_k5q7secret'), 'unexpected'],
    [withCode(7), 'unexpected'],
    [reply('secret-canary is no command'), 'unexpected'],
    ['secret-canary', 'unexpected'],
    [undefined, 'unexpected'],
  ])('of %o is %s', (error, code) => {
    expect(failureCode(error)).toBe(code);
  });

  it(verifies('I3', 'never holds a message, whatever is thrown'), () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.anything(), (message, code) => {
        const known = failureCode(Object.assign(new Error(`canary ${message}`), { code }));
        expect(known).not.toContain('canary');
        expect(known).toMatch(/^[A-Za-z0-9_]{5,60}$/);
      }),
    );
  });
});

describe('an error of the queue', () => {
  it('says that waiting helps when the store is down, and that it does not when the store refuses us', () => {
    expect(toQueueError(withCode('ECONNREFUSED'))).toMatchObject({ code: 'queue_unavailable', retryable: true });
    expect(toQueueError(withCode('28P01'))).toMatchObject({ code: 'queue_refused', retryable: false });
    expect(toQueueError(reply('NOAUTH Authentication required.'))).toMatchObject({ code: 'queue_refused' });
  });
});
