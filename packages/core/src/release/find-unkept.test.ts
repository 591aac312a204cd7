import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { canonicalJson } from './canonical-json.ts';
import { findUnkept } from './find-unkept.ts';
import { holdsInexactNumber } from './inexact-number.ts';
import { writtenMember } from './written-member.ts';

const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
const indent = fc.constantFrom(undefined, 1, '\t');
const double = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('writtenMember', () => {
  it('is the value as it was written, wherever it stands and whatever is around it', () => {
    const others = fc.dictionary(fc.string(), json, { maxKeys: 4 });
    fc.assert(
      fc.property(others, json, others, indent, (before, value, after, space) => {
        const whole = JSON.stringify({ ...before, ...{ body: value }, ...after, ...{ body: value } }, null, space);
        const written = writtenMember(whole, 'body') ?? '';
        expect(whole).toContain(written);
        expect(written).toBe(written.trim());
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['{"a":{"body":1},"b":["body",2]}', null],
    ['{}', null],
    ['{ "b\\u006fdy" : [1.0 , 2] }', '[1.0 , 2]'],
    ['{"a":"body","body":{"2":"}","1":"\\\\"},"c":":"}', '{"2":"}","1":"\\\\"}'],
    ['{"body":0.10}', '0.10'],
  ])('of %j is %j', (whole, written) => {
    expect(writtenMember(whole, 'body')).toBe(written);
  });
});

describe(verifies('I8', 'a number that a double does not hold'), () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '18446744073709551615',
    '90071992547409936',
    '0.1000000000000000055511151231257827',
    '333333333.33333329',
    '1e400',
    '-1e400',
    '1e-400',
    '123456789012345678e-5',
    '[1,[{"a":9007199254740993}]]',
    '{"a":"\\"","b":1e999}',
  ])('is found in %s', (text) => {
    expect(holdsInexactNumber(text)).toBe(true);
  });

  it.each([
    '0',
    '-0',
    '0.00',
    '0e999',
    '1.0',
    '1.10',
    '100e-2',
    '9007199254740992',
    '9007199254740994',
    '90071992547409940',
    '1e21',
    '1000000000000000000000000',
    '0.10000000000000001',
    '-2062427860281284.2',
    '-2.0624278602812843e+15',
    '5e-324',
    '1.7976931348623157e308',
    '2E+3',
    '"9007199254740993"',
    '{"9007199254740993":"1e400 \\" 1e400"}',
    '[true,false,null]',
  ])('is not in %s', (text) => {
    expect(holdsInexactNumber(text)).toBe(false);
  });

  it('is never what a program writes that has a double', () => {
    fc.assert(
      fc.property(double, (value) => {
        const ways = [JSON.stringify(value), value.toExponential(16), value.toExponential()];
        for (const way of ways) expect(holdsInexactNumber(way)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('is every whole number that a double would change', () => {
    const whole = fc.bigInt({ min: 0n, max: 10n ** 16n });
    fc.assert(
      fc.property(whole, (number) => {
        expect(holdsInexactNumber(String(number))).toBe(BigInt(Number(number)) !== number);
      }),
      { numRuns: 1000 },
    );
  });

  it('is why no two whole numbers that differ are one payload', () => {
    const double = fc.double({ min: 2 ** 53, max: 2 ** 70, noNaN: true }).map((value) => BigInt(Math.trunc(value)));
    const apart = fc.bigInt({ min: -200n, max: 200n });
    fc.assert(
      fc.property(double, apart, apart, (held, one, other) => {
        const texts = [String(held + one), String(held + other)];
        fc.pre(one !== other);
        const [first, second] = texts.map((text) => canonicalJson(JSON.parse(text)));
        if (texts.some(holdsInexactNumber)) return;
        expect(first).not.toBe(second);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('findUnkept', () => {
  const find = (text: string) => findUnkept(text, JSON.parse(text));

  it('names the field, and nothing of what is in it', () => {
    expect(find('{"body":{"secret":9007199254740993},"status":{"complete":{"status":200.00000000000000001}}}')).toEqual(
      [
        { field: 'body', problem: 'inexact_number' },
        { field: 'status', problem: 'inexact_number' },
      ],
    );
    expect(find('{"headers":{"__proto__":"x"},"status":{"headers":{"\\u005f_proto__":"x"}}}')).toEqual([
      { field: 'headers', problem: 'forbidden_name' },
      { field: 'status.headers', problem: 'forbidden_name' },
    ]);
  });

  it('finds nothing in what is kept', () => {
    expect(
      find('{"body":{"__proto__":{"2":1,"1":0.1}},"headers":{"constructor":"x"},"status":{"headers":{}}}'),
    ).toEqual([]);
    expect(find('{"headers":{},"orderingKey":"1e400"}')).toEqual([]);
  });
});
