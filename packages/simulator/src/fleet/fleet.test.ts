import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLocaltonetAccount } from '../account/start-localtonet-account.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../callback-receiver/start-callback-receiver.ts';
import { createFleet } from './create-fleet.ts';
import { sendBurst } from './send-burst.ts';

let receiver: CallbackReceiver;
beforeEach(async () => {
  receiver = await startCallbackReceiver();
});
afterEach(() => receiver.close());

const startMs = Date.UTC(2026, 10, 30);

describe('fleet', () => {
  it('is the same for the same seed', () => {
    const make = (seed: number) => {
      const fleet = createFleet({ devices: 4, tunnelsPerDevice: 3, seed });
      return [fleet.devices, fleet.events('Disconnected', { startMs })];
    };
    expect(make(5)).toEqual(make(5));
    expect(make(5)).not.toEqual(make(6));
  });

  it('invents distinct tokens and numeric tunnel ids', () => {
    const { devices, subjectCount } = createFleet({ devices: 300, tunnelsPerDevice: 20 });
    const ids = devices.flatMap((device) => device.tunnels.map((tunnel) => tunnel.id));
    expect(new Set(devices.map((device) => device.token)).size).toBe(300);
    expect(new Set(ids).size).toBe(6_000);
    expect(ids.every((id) => /^\d{6,}$/.test(id))).toBe(true);
    expect(subjectCount).toBe(6_300);
  });

  it('dates a burst in device order and shuffles it, or part of it', () => {
    const fleet = createFleet({ devices: 3, tunnelsPerDevice: 2 });
    const given = fleet.events('Connected', { startMs, order: 'given', spacingTicks: 10_000 });
    expect(given.map((event) => event.Type).slice(0, 4)).toEqual(['Token', 'Tunnel', 'Tunnel', 'Token']);
    expect(given.map((event) => event.ActionDate).slice(0, 2)).toEqual([
      '2026-11-30T00:00:00.0000000Z',
      '2026-11-30T00:00:00.0010000Z',
    ]);
    const shuffled = fleet.events('Connected', { startMs, spacingTicks: 10_000 });
    expect(shuffled).not.toEqual(given);
    expect(new Set(shuffled.map((event) => JSON.stringify(event)))).toEqual(
      new Set(given.map((event) => JSON.stringify(event))),
    );
    const part = fleet.events('Connected', { startMs, devices: fleet.devices.slice(0, 1), dateStyle: 'none' });
    expect(part).toHaveLength(3);
  });

  it('moves into an account', async () => {
    const fleet = createFleet({ devices: 2, tunnelsPerDevice: 2 });
    const account = await startLocaltonetAccount({ apiKey: 'k' });
    fleet.addTo(account);
    account.addWebhook({ url: receiver.url, watch: { tokens: true, tunnels: true }, on: 'both' });
    expect(await account.deviceGoesOffline('host-2')).toHaveLength(3);
    expect(account.tunnels.map((tunnel) => tunnel.connectionStatus)).toEqual([true, true, false, false]);
    await account.close();
  });
});

describe('sendBurst', () => {
  it('posts every event once, over no more connections than asked, to the URLs in turn', async () => {
    receiver.setBehaviour({ kind: 'answer', status: 202 });
    const fleet = createFleet({ devices: 40, tunnelsPerDevice: 9 });
    const events = fleet.events('Disconnected', { startMs });
    const result = await sendBurst([`${receiver.url}/a`, `${receiver.url}/b`], events, { concurrency: 16 });
    expect(result).toMatchObject({ sent: 400, statuses: { 202: 400 }, failures: {} });
    expect(result.latencyMs.p50).toBeLessThanOrEqual(result.latencyMs.p99);
    expect(result.latencyMs.p99).toBeLessThanOrEqual(result.latencyMs.max);
    expect(receiver.peakInFlight).toBeLessThanOrEqual(16);
    expect(receiver.requests.filter((request) => request.path === '/a')).toHaveLength(200);
    expect(new Set(receiver.requests.map((request) => request.body))).toEqual(
      new Set(events.map((event) => JSON.stringify(event))),
    );
  });

  it('says which events were accepted and counts the rest by cause', async () => {
    receiver.behaveNext({ kind: 'answer', status: 503 });
    receiver.behaveNext({ kind: 'commit_then_drop' });
    const accepted: number[] = [];
    const result = await sendBurst(receiver.url, ['a', 'b', 'c', 'd'], {
      concurrency: 1,
      onOutcome: (outcome, _, index) => {
        if (outcome.outcome === 'answered' && outcome.status === 200) accepted.push(index);
      },
    });
    expect(result).toMatchObject({ sent: 4, statuses: { 200: 2, 503: 1 }, failures: { ECONNRESET: 1 } });
    expect(accepted).toEqual([2, 3]);
  });

  it('takes events lazily and ends when told', async () => {
    let taken = 0;
    function* endless() {
      for (;;) {
        taken += 1;
        yield `event ${taken}`;
      }
    }
    const stop = new AbortController();
    const burst = sendBurst(receiver.url, endless(), { concurrency: 2, signal: stop.signal });
    await receiver.waitForRequests(20, 5_000);
    stop.abort();
    const { sent, statuses } = await burst;
    expect(taken - (statuses[200] ?? 0)).toBeLessThanOrEqual(4);
    expect(sent).toBeLessThanOrEqual(taken);
  });

  it('has nothing to report of an empty burst', async () => {
    expect(await sendBurst(receiver.url, [])).toMatchObject({ sent: 0, latencyMs: { p50: 0, p99: 0, max: 0 } });
  });
});
