import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { hand } from '../../../../../test/support/plant-callbacks.ts';
import { verifies } from '../../../../../test/support/verifies.ts';
import { type OpenPages, openPages, textOf } from '../../../test/open-pages.ts';
import { plantServices, startTestApi, type TestApi } from '../../../test/start-test-api.ts';

const PAYLOAD = createHash('sha256').update('payload').digest();
const WHY = { reason: 'seen in their books' };
const APPROVAL = { ...WHY, payloadHash: PAYLOAD.toString('hex'), for: '30m', sure: 'yes' };

let api: TestApi;
let pages: OpenPages;
beforeAll(async () => {
  api = await startTestApi();
  await plantServices(api.sql, ['agent', 'other-agent']);
  pages = await openPages(api, await api.makeKey(['callbacks:review'], { id: 'key_night' }));
});

/** One in this state. */
async function plant(state: string, change: Parameters<typeof hand>[1] = {}): Promise<string> {
  const id = await hand(api.sql, { payloadHash: PAYLOAD, ...change });
  await api.sql`update callback set state = ${state}, reason = 'outcome_unknown' where id = ${id}`;
  return id;
}

/** What a form led to. */
async function post(id: string, command: string, fields: Record<string, string>, by = pages) {
  const answer = await by.post(`/callbacks/${id}/${command}`, fields);
  return answer.headers.get('location')?.replace(`/callbacks/${id}?did=`, '') ?? answer.status;
}

const stateOf = async (id: string) => {
  const [row] = await api.sql<{ state: string }[]>`select state from callback where id = ${id}`;
  return row?.state;
};
const formsOf = async (id: string, by = pages) =>
  [...(await by.text(`/callbacks/${id}`)).matchAll(/action="\/callbacks\/[^/"]+\/([a-z]+)"/g)].map(([, name]) => name);

describe('the page of a callback', () => {
  it('has the forms that fit its state, and only those that the key may use', async () => {
    const writer = await openPages(api, await api.makeKey(['callbacks:write']));
    const cases = [
      ['needs_review', ['complete', 'deny', 'approve'], ['cancel']],
      ['failed', ['redrive'], []],
      ['held', ['cancel'], ['cancel']],
      ['delivered', [], []],
    ] as const;
    for (const [state, reviewers, writers] of cases) {
      const id = await plant(state);
      expect({ state, forms: await formsOf(id) }).toEqual({ state, forms: reviewers });
      expect({ state, forms: await formsOf(id, writer) }).toEqual({ state, forms: writers });
    }
    const review = await plant('needs_review');
    expect(await pages.text(`/callbacks/${review}`)).toContain(APPROVAL.payloadHash);
    expect(textOf(await pages.text('/callbacks?state=needs_review'))).toMatch(
      new RegExp(`${review}, POST to \\S+, handed over \\d+ \\w+ \\d\\d:\\d\\d:\\d\\d UTC`),
    );
    expect(await writer.text(`/callbacks/${review}`)).not.toContain(APPROVAL.payloadHash);
    expect(await formsOf(await plant('needs_review', { deadlineAt: new Date(0) }))).not.toContain('approve');
  });
});

describe('its forms', () => {
  it.each([
    ['deny', 'denied', 'failed'],
    ['complete', 'completed', 'delivered'],
    ['cancel', 'cancelled', 'cancelled'],
  ])('%s: decides under the name of the key, once', async (command, did, state) => {
    const id = await plant('needs_review');
    expect(await post(id, command, { reason: ' ' })).toBe('no_reason');
    expect(await post(id, command, WHY)).toBe(did);
    expect(await stateOf(id)).toBe(state);
    const [row] = await api.sql`select actor, action, target, reason, facts from audit order by seq desc limit 1`;
    const facts = expect.objectContaining({ key: 'key_night', before: 'needs_review' });
    expect(row).toEqual({ actor: 'test', action: `callback.${command}`, target: id, reason: WHY.reason, facts });
    expect(await post(id, command, WHY)).toBe('wrong_state');
    expect(await pages.text(`/callbacks/${id}?did=${did}`)).toContain('id="notice"');
  });

  it(
    verifies('I7', 'approve: sends only the payload that was on the page, knowingly, and before its deadline'),
    async () => {
      const id = await plant('needs_review');
      for (const [fields, did] of [
        [{ ...APPROVAL, sure: '' }, 'may_repeat'],
        [{ ...APPROVAL, for: 'ever' }, 'malformed'],
        [{ ...APPROVAL, payloadHash: 'x' }, 'malformed'],
        [{ ...APPROVAL, payloadHash: '0'.repeat(64) }, 'payload_differs'],
      ] as const) {
        expect({ fields, did: await post(id, 'approve', fields) }).toEqual({ fields, did });
      }
      expect(await stateOf(id)).toBe('needs_review');
      const wakes = api.wakes.count;
      expect(await post(id, 'approve', APPROVAL)).toBe('approved');
      expect([await stateOf(id), api.wakes.count]).toEqual(['retrying', wakes + 1]);
      expect(await pages.text(`/callbacks/${id}`)).toContain('Approved by test: seen in their books');
      const late = await plant('needs_review', { deadlineAt: new Date(0) });
      expect(await post(late, 'approve', APPROVAL)).toBe('deadline_passed');
    },
  );

  it('redrive: sends what failed again', async () => {
    const id = await plant('failed');
    expect(await post(id, 'redrive', WHY)).toBe('redriven');
    expect(await stateOf(id)).toBe('retrying');
    const emptied = await plant('failed');
    await api.sql`update callback set sealed_url = '' where id = ${emptied}`;
    expect(await post(emptied, 'redrive', WHY)).toBe('content_gone');
  });

  it('are out of reach for other keys', async () => {
    const id = await plant('needs_review');
    const writer = await openPages(api, await api.makeKey(['callbacks:write']));
    for (const command of ['approve', 'deny', 'complete', 'redrive']) {
      expect({ command, led: await post(id, command, APPROVAL, writer) }).toEqual({ command, led: 403 });
    }
    const other = await openPages(api, await api.makeKey(['callbacks:review'], { services: ['other-agent'] }));
    expect(await post(id, 'deny', WHY, other)).toBe(404);
    expect(await post('cb_nothing', 'deny', WHY)).toBe(404);
    const foreign = await pages.post(`/callbacks/${id}/deny`, WHY, { origin: 'https://evil.example' });
    expect([foreign.status, await stateOf(id)]).toEqual([403, 'needs_review']);
  });
});
