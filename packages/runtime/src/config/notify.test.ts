import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import type { AppName } from './config.ts';
import { ConfigError } from './config-error.ts';
import { parseConfig } from './load-config.ts';

const ENV = { HOOK: 'https://hooks.slack.com/services/T0/B0/invented', KEY: 'invented-routing-key', PW: 'invented' };
const fromEnv = (name: string) => `\${${name}}`;

function parse(notify: unknown, app: AppName = 'worker', env: Record<string, string> = ENV) {
  const config = { sources: [{ name: 'home' }], services: [{ name: 'agent', source: 'home', tunnel: '1' }], notify };
  return parseConfig({ file: 'x.yaml', source: JSON.stringify(config), app, env }).notify;
}

function problems(notify: unknown): string[] {
  try {
    parse(notify);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ key, message }) => `${key}: ${message}`);
  }
}

describe('the notify section', () => {
  it('is optional, and without routes every channel is told everything', () => {
    expect(parse(undefined)).toMatchObject({ channels: [], groupUpdatesMs: 120_000, pageUrl: null });
    expect(parse({ channels: { chat: { type: 'slack', url: fromEnv('HOOK') } } })).toMatchObject({
      channels: [{ name: 'chat', type: 'slack', target: { type: 'slack', url: ENV.HOOK } }],
      routes: [{ channels: ['chat'], services: null, during: null }],
      retry: { attempts: 200, baseDelayMs: 5000, maxDelayMs: 300_000, maxElapsedMs: 21_600_000 },
    });
  });

  it('reads every type of channel, and time windows in minutes', () => {
    const notify = parse({
      channels: {
        a: { type: 'webhook', url: 'https://a.example/x', signingSecret: 'whsec_aW52ZW50ZWQtc2VjcmV0' },
        b: { type: 'discord', url: 'https://b.example/x' },
        c: { type: 'pagerduty', routingKey: fromEnv('KEY') },
        d: { type: 'alertmanager', url: 'http://d.example:9093' },
        e: { type: 'ntfy', topic: 'invented-topic' },
        f: {
          type: 'smtp',
          host: 'mail.example',
          from: 'a@example.org',
          to: ['b@example.org'],
          user: 'a',
          password: fromEnv('PW'),
        },
      },
      routes: [
        {
          channels: ['a'],
          severity: ['critical'],
          services: ['agent'],
          during: [{ from: '22:00', to: '06:30', timeZone: 'Europe/Berlin' }],
        },
      ],
    });
    expect(notify.channels.map(({ target }) => target)).toMatchObject([
      { type: 'webhook' },
      { type: 'discord' },
      { type: 'pagerduty', url: 'https://events.pagerduty.com/v2/enqueue', routingKey: ENV.KEY },
      { type: 'alertmanager', repeatEveryMs: 60_000, authorization: null },
      { type: 'ntfy', url: 'https://ntfy.sh', token: null },
      { type: 'smtp', port: 587, security: 'starttls', password: ENV.PW },
    ]);
    expect(notify.routes[0]?.during).toMatchObject([{ fromMinute: 1320, toMinute: 390 }]);
  });

  it(verifies('I3', 'shows no app but the worker where a channel leads, written out or not'), () => {
    const channels = {
      chat: { type: 'slack', url: fromEnv('HOOK') },
      other: { type: 'discord', url: 'https://d.example/invented' },
    };
    for (const app of ['receiver', 'api', 'cli'] as const) {
      const seen = parse({ channels }, app, {});
      expect(seen.channels).toEqual([
        { name: 'chat', type: 'slack', target: null },
        { name: 'other', type: 'discord', target: null },
      ]);
      expect(JSON.stringify(seen)).not.toContain('invented');
    }
  });

  it('says what is wrong, and repeats no value', () => {
    const chat = { type: 'slack', url: 'https://a.example/invented' };
    expect(problems({ channels: { x: { type: 'pigeon' } } })).toEqual([
      'notify.channels.x.type: must be one of webhook, slack, discord, pagerduty, alertmanager, ntfy, smtp',
    ]);
    expect(problems({ channels: { chat: { ...chat, url: 'ftp://invented' } } })[0]).toMatch(
      /^notify.channels.chat.url: must be an http/,
    );
    expect(problems({ channels: { chat: { ...chat, token: 'x' } } })).toEqual([
      'notify.channels.chat.token: is not a key that is known here',
    ]);
    expect(problems({ channels: { chat }, routes: [{ channels: ['caht'], services: ['other'] }] })).toEqual([
      'notify.routes[0].channels[0]: names no entry of notify.channels',
      'notify.routes[0].services[0]: names no entry of services',
    ]);
    expect(problems({ pageUrl: 'https://t.example/?key=invented' })).toEqual([
      'notify.pageUrl: must have neither a query nor a fragment, since paths are put after it',
    ]);
    const mail = { type: 'smtp', host: 'm.example', from: 'a@example.org', to: ['b@example.org'] };
    expect(problems({ channels: { mail: { ...mail, user: 'a' } } })).toEqual([
      'notify.channels.mail: needs both a user and a password, or neither',
    ]);
    expect(problems({ channels: { mail: { ...mail, user: 'a', password: 'b', security: 'none' } } })[0]).toMatch(
      /readable on the way/,
    );
    expect(problems({ channels: { mail: { ...mail, to: ['a@b\nbcc: x@y'] } } })[0]).toMatch(/must be an email address/);
    const hook = { type: 'webhook', url: 'https://a.example/x', signingSecret: 'an-invented-phrase-of-words' };
    expect(problems({ channels: { hook } })).toEqual([
      'notify.channels.hook.signingSecret: must be base64, 16 characters of it or more, with or without whsec_ before it',
    ]);
    expect(
      problems({
        channels: { chat },
        routes: [{ channels: ['chat'], during: [{ from: '9', to: '25:00', timeZone: 'Mars' }] }],
      }),
    ).toHaveLength(3);
  });

  it('is explained in the README by an example that works', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
    const example = /### Be told\n\n```yaml\n([^`]+)```/.exec(readme)?.[1] ?? '';
    const rest = 'sources: [{ name: home }]\nservices: [{ name: research-agent, source: home, tunnel: "1" }]\n';
    const names = [...example.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name ?? '');
    const env = Object.fromEntries(
      names.map((name) => [
        name,
        name.endsWith('URL') ? 'https://hooks.example/invented' : 'inventedValueOfSomeLength+24',
      ]),
    );
    const { notify } = parseConfig({ file: 'x.yaml', source: rest + example, app: 'worker', env });
    expect(notify.channels.map(({ type }) => type).sort()).toEqual([
      'alertmanager',
      'discord',
      'ntfy',
      'pagerduty',
      'slack',
      'smtp',
      'webhook',
    ]);
    expect(notify.routes).toHaveLength(3);
    // Whoever copies it has every channel told something.
    const routed = new Set(notify.routes.flatMap(({ channels }) => channels));
    expect(notify.channels.filter(({ name }) => !routed.has(name))).toEqual([]);
  });
});
