import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { parseWebhook, type WebhookResult } from './parse-webhook.ts';

const parse = (body: unknown): WebhookResult => parseWebhook(new TextEncoder().encode(JSON.stringify(body)));
const valid = { Id: '298487', ActionDate: '2026-11-30T01:02:03.1234567Z', Type: 'Tunnel', Status: 'Disconnected' };
const FIELDS = ['Id', 'ActionDate', 'Type', 'Status'] as const;
const problems = (result: WebhookResult) => (result.ok ? [] : result.errors);

describe('parseWebhook', () => {
  it('reads the four documented fields in any order, in our words', () => {
    const body = fc.record({
      Id: fc.string({ minLength: 1, maxLength: 100 }).filter((id) => !id.includes('\u0000')),
      ActionDate: fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme-ascii' }),
      Type: fc.constantFrom('Token', 'Tunnel'),
      Status: fc.constantFrom('Connected', 'Disconnected'),
    });
    fc.assert(
      fc.property(body, fc.shuffledSubarray([...FIELDS], { minLength: 4 }), (fields, order) => {
        const result = parse(Object.fromEntries(order.map((name) => [name, fields[name]])));
        expect(result).toEqual({
          ok: true,
          webhook: {
            id: fields.Id,
            type: fields.Type === 'Token' ? 'device' : 'tunnel',
            status: fields.Status.toLowerCase(),
            actionDate: fields.ActionDate,
          },
          extra: { names: [], unnamed: 0 },
        });
      }),
    );
  });

  it.each(FIELDS)('names %s when it is missing, in another case, no string or empty', (field) => {
    const { [field]: value, ...rest } = valid;
    expect(problems(parse(rest))).toEqual([{ field, problem: 'missing' }]);
    expect(problems(parse({ ...rest, [field.toLowerCase()]: value }))).toEqual([{ field, problem: 'missing' }]);
    expect(problems(parse({ ...rest, [field.toUpperCase()]: value }))).toEqual([{ field, problem: 'missing' }]);
    for (const wrong of [1, null, true, [], {}]) {
      expect(problems(parse({ ...rest, [field]: wrong }))).toEqual([{ field, problem: 'not_a_string' }]);
    }
    expect(problems(parse({ ...rest, [field]: '' }))).toEqual([{ field, problem: 'empty' }]);
  });

  it('accepts 512 characters of Id and 64 of ActionDate, and no more', () => {
    expect(parse({ ...valid, Id: 'x'.repeat(512), ActionDate: '1'.repeat(64) }).ok).toBe(true);
    expect(problems(parse({ ...valid, Id: 'x'.repeat(513), ActionDate: '1'.repeat(65) }))).toEqual([
      { field: 'Id', problem: 'too_long' },
      { field: 'ActionDate', problem: 'too_long' },
    ]);
  });

  it.each([
    ['Type', 'token'],
    ['Type', 'Device'],
    ['Type', 'Tunnel '],
    ['Status', 'connected'],
    ['Status', 'Online'],
  ])('does not allow %s %j', (field, value) => {
    expect(problems(parse({ ...valid, [field]: value }))).toEqual([{ field, problem: 'not_allowed' }]);
  });

  it.each([
    ['null', 'not_an_object'],
    ['[]', 'not_an_object'],
    ['"x"', 'not_an_object'],
    ['', 'empty'],
    ['{', 'syntax'],
    ['{"Id":"1","Id":"1"}', 'duplicate_key'],
    ['{"Id":"\\u0000"}', 'nul'],
    ['{"Id":"\\ud800"}', 'lone_surrogate'],
    ['{"Id":[[[[]]]]}', 'too_deep'],
  ])('blames the body for %j', (text, problem) => {
    expect(parseWebhook(new TextEncoder().encode(text))).toEqual({ ok: false, errors: [{ field: 'body', problem }] });
  });

  it('accepts other fields, keeping at most eight names that look like names', () => {
    const extra = Object.fromEntries([...'abcdefghij'].map((letter) => [`Extra${letter}`, 1]));
    const result = parse({ ...valid, ...extra, id: 'x', 'a-b': 1, ['y'.repeat(25)]: 1, é: 1 });
    expect(result.ok && result.extra).toEqual({ names: [...'abcdefgh'].map((letter) => `Extra${letter}`), unnamed: 6 });
  });

  it('counts every other field exactly once', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 30 }), fc.integer(), { maxKeys: 20 }), (others) => {
        fc.pre(!Object.keys(others).some((name) => name.includes('\u0000') || name in valid));
        const result = parse({ ...others, ...valid });
        expect(result.ok && result.extra.names.length + result.extra.unnamed).toBe(Object.keys(others).length);
        expect(result.ok && result.extra.names.every((name) => /^[A-Za-z]{1,24}$/.test(name))).toBe(true);
      }),
    );
  });

  it(verifies('I3', 'never repeats a received value or an undocumented name in an error'), () => {
    const canary = fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(...'QXZW98') });
    const spoil = fc.constantFrom<(secret: string) => unknown>(
      (secret) => ({ ...valid, Type: secret }),
      (secret) => ({ ...valid, Status: secret, Id: '' }),
      (secret) => ({ Id: secret, [secret]: secret }),
      (secret) => ({ ...valid, ActionDate: secret.repeat(20) }),
      (secret) => ({ ...valid, Id: [secret] }),
      (secret) => [secret],
      (secret) => secret,
    );
    fc.assert(
      fc.property(canary, spoil, (secret, make) => {
        const result = parse(make(secret));
        expect(result.ok).toBe(false);
        expect(JSON.stringify(result)).not.toContain(secret);
      }),
    );
  });
});
