import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { describeBody } from './describe-body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('what is told of a body that was not understood', () => {
  it('is its names and the shape of its date', () => {
    const body = { id: 'a', ActionDate: '30.11.2026 01:02', Zustand: 'b', 'not a name': 'c', '4f2a': 1 };
    expect(describeBody(bytes(JSON.stringify(body)))).toEqual({
      fields: ['id', 'ActionDate', 'Zustand'],
      unnamed: 2,
      dateShape: '99.99.9999 99:99',
    });
    expect(describeBody(bytes('{"ActionDate":7}'))).toEqual({ fields: ['ActionDate'], unnamed: 0, dateShape: null });
  });

  it.each(['', 'Id=1&Status=Disconnected', '[]', '"text"', '1', '{"Id":', '{"a":1,"a":2}'])(
    'is nothing when it is no JSON object: %j',
    (text) => expect(describeBody(bytes(text))).toBeNull(),
  );

  it(verifies('I3', 'holds no value, whatever the body is'), () => {
    const value = fc.string({ unit: 'binary', minLength: 5, maxLength: 60 }).map((text) => `v4l-${text}`);
    const key = fc.oneof(fc.constantFrom('Id', 'ActionDate', 'Type', 'Status', 'State'), fc.string({ maxLength: 30 }));
    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(value, fc.array(value))), (body) => {
        const told = describeBody(bytes(JSON.stringify(body)));
        expect(JSON.stringify(told)).not.toContain('v4l-');
        const { dateShape, ...names } = told ?? { fields: [], unnamed: 0, dateShape: null };
        expect(dateShape ?? '').toMatch(/^[-:.+ /TZ9A?]{0,80}…?$/u);
        for (const name of names.fields) expect(name).toMatch(/^[A-Za-z]{1,24}$/);
        if (told !== null) expect(names.fields.length + names.unnamed).toBe(Object.keys(body).length);
      }),
    );
  });

  it('is a function of any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (some) => void describeBody(some)));
  });
});
