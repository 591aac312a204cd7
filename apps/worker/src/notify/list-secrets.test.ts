import { parseConfig } from '@tidegate/runtime';
import { expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { listSecrets } from './list-secrets.ts';

it(verifies('I3', 'I3.notify', 'every credential of the config is known to the scrubber'), () => {
  const config = {
    sources: [{ name: 'home' }],
    localtonet: { apiKey: 'invented-api-key' },
    services: [
      {
        name: 'agent',
        source: 'home',
        tunnel: '1',
        signingSecret: 'whsec_aW52ZW50ZWQtc2lnbmluZw==',
        probes: {
          public: { url: 'https://a.example/?key=invented-query' },
          application: { url: 'https://a.example/whoami', headers: { authorization: 'Bearer invented-probe' } },
        },
      },
    ],
    notify: {
      channels: {
        chat: { type: 'slack', url: 'https://hooks.example/services/T0/B0/inventedchatpath' },
        alerts: { type: 'alertmanager', url: 'https://alerts.example', authorization: 'Bearer invented-proof' },
        phone: { type: 'pagerduty', routingKey: 'invented-routing-key' },
        mail: {
          type: 'smtp',
          host: 'm.example',
          from: 'a@b.example',
          to: ['c@d.example'],
          user: 'u',
          password: 'invented-mail',
        },
      },
    },
  };
  const secrets = listSecrets(parseConfig({ file: 'x.yaml', source: JSON.stringify(config), app: 'worker', env: {} }));
  for (const secret of [
    'invented-api-key',
    'whsec_aW52ZW50ZWQtc2lnbmluZw==',
    'https://a.example/?key=invented-query',
    'Bearer invented-probe',
    'invented-probe',
    '/services/T0/B0/inventedchatpath',
    'inventedchatpath',
    'invented-routing-key',
    'invented-mail',
    'invented-proof',
  ]) {
    expect(secrets).toContain(secret);
  }
});
