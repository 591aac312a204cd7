import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDevice, parseDevices, parseTunnel, parseTunnels } from './parse-answer.ts';

const DEVICE = { token: 'made-up-1', name: 'mac-mini', online: true };

describe('parseDevices', () => {
  const raw = { token: 'made-up-1', name: 'mac-mini', clientIsOnline: true };

  it.each([
    ['a bare array', [raw]],
    ['items', { items: [raw], totalCount: 1 }],
    ['data', { data: [raw] }],
    ['result', { result: [raw] }],
    ['a nested wrapper', { isSuccess: true, data: { items: [raw] } }],
    ['other casing', { Data: [{ Token: 'made-up-1', Name: 'mac-mini', ClientIsOnline: true }] }],
    ['authToken', [{ authToken: 'made-up-1', name: 'mac-mini', clientIsOnline: 'True' }]],
  ])('reads %s', (_name, body) => {
    expect(parseDevices(body)).toEqual({ items: [DEVICE], skipped: 0 });
  });

  it.each([
    [true, true],
    [false, false],
    ['true', true],
    ['false', false],
    [1, true],
    [0, false],
    [null, null],
    [undefined, null],
    ['maybe', null],
    [{}, null],
  ])('reads clientIsOnline %j as %j', (clientIsOnline, online) => {
    expect(parseDevices([{ token: 't', clientIsOnline }])?.items).toEqual([{ token: 't', name: null, online }]);
  });

  it('keeps an empty list apart from an unreadable one', () => {
    expect(parseDevices([])).toEqual({ items: [], skipped: 0 });
    expect(parseDevices([{ id: 1 }])).toBeNull();
    expect(parseDevices({ items: null })).toBeNull();
    expect(parseDevices({})).toBeNull();
    expect(parseDevices(null)).toBeNull();
    expect(parseDevices('<html>')).toBeNull();
    expect(parseDevices(undefined)).toBeNull();
  });

  it('counts the entries it cannot read', () => {
    expect(parseDevices([raw, {}, null, 7, [raw], { token: '' }])).toEqual({ items: [DEVICE], skipped: 5 });
  });
});

describe('parseTunnels', () => {
  it('reads a full entry', () => {
    const raw = {
      id: 298487,
      title: 'agent',
      url: 'https://abc.localto.net',
      status: 1,
      connectionStatus: true,
      authToken: 'made-up-1',
      protocolType: 1,
    };
    expect(parseTunnels([raw])?.items).toEqual([
      {
        id: '298487',
        title: 'agent',
        url: 'https://abc.localto.net',
        status: 1,
        started: true,
        connected: true,
        deviceToken: 'made-up-1',
      },
    ]);
  });

  it.each([
    [1, 1, true],
    [0, 0, false],
    [2, 2, false],
    ['1', 1, true],
    ['0', 0, false],
    [true, null, true],
    ['Started', null, true],
    ['stopped', null, false],
    ['odd', null, null],
    [null, null, null],
    [undefined, null, null],
  ])('reads status %j as %j, started %j', (raw, status, started) => {
    expect(parseTunnel({ id: 1, status: raw })).toMatchObject({ status, started });
  });

  it.each([
    ['298487', '298487'],
    [298487, '298487'],
    [0, '0'],
    [9007199254740991, '9007199254740991'],
  ])('reads id %j', (id, text) => {
    expect(parseTunnel({ id })?.id).toBe(text);
  });

  it.each([[2 ** 53], [1.5], [-1], [''], [null], [{}], [true]])('refuses id %j', (id) => {
    expect(parseTunnel({ id })).toBeNull();
  });

  it.each([
    [{ authToken: 'made-up-1' }],
    [{ token: 'made-up-1' }],
    [{ authToken: { token: 'made-up-1', name: 'mac-mini' } }],
    [{ Token: { AuthToken: 'made-up-1' } }],
  ])('finds the device of %j', (shape) => {
    expect(parseTunnel({ id: 1, ...shape })?.deviceToken).toBe('made-up-1');
  });

  it('survives missing fields', () => {
    const nothing = { title: null, url: null, status: null, started: null, connected: null, deviceToken: null };
    expect(parseTunnels([{ id: 1 }, { tunnelId: '2' }])?.items).toEqual([
      { id: '1', ...nothing },
      { id: '2', ...nothing },
    ]);
  });
});

describe('single objects', () => {
  it('are read bare or wrapped', () => {
    const raw = { token: 'made-up-1', name: 'mac-mini', clientIsOnline: true };
    expect(parseDevice(raw)).toEqual(DEVICE);
    expect(parseDevice({ data: raw })).toEqual(DEVICE);
    expect(parseDevice({ result: { data: raw } })).toEqual(DEVICE);
    expect(parseDevice([raw])).toBeNull();
    expect(parseTunnel({ data: { id: 5 } })?.id).toBe('5');
  });
});

it('never throws and never lets a prototype through, whatever the JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      for (const parse of [parseDevices, parseTunnels, parseDevice, parseTunnel]) parse(body);
    }),
  );
  const hostile: unknown = JSON.parse('{"__proto__":{"token":"x"},"items":[{"__proto__":{"token":"y"}}]}');
  expect(parseDevices(hostile)).toBeNull();
});
