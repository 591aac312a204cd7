import { randomBytes } from 'node:crypto';
import type { World } from '@tidegate/simulator';

const invent = (name: string, alphabet: 'plain' | 'any' = 'plain') =>
  `${name}${randomBytes(18).toString(alphabet === 'plain' ? 'hex' : 'base64')}${alphabet === 'any' ? '+/="~é' : ''}`;

/** Every credential of a whole installation, invented; those that Tidegate makes are added once they are known. */
export function inventSecrets(world: World) {
  return {
    deviceToken: world.deviceToken,
    apiKey: world.apiKey,
    probeToken: world.probeToken,
    probeQuery: invent('probequery'),
    hookSecret: invent('hook'),
    wrongHookSecret: invent('wronghook'),
    signingSecret: `whsec_${randomBytes(32).toString('base64')}`,
    strangeToken: invent('token', 'any'),
    tunnelName: invent('tunnel', 'any'),
    dateToken: invent('date'),
    badBodyToken: invent('bad', 'any'),
    fieldName: invent('field'),
    fieldValue: invent('value', 'any'),
    headerValue: invent('header'),
    wrongApiKey: `tdg_${randomBytes(26).toString('hex')}`,
    callbackQuery: invent('query'),
    callbackPath: invent('path'),
    callbackUser: invent('user'),
    callbackHeader: invent('callbackheader'),
    callbackBody: invent('body', 'any'),
    idempotencyKey: invent('idempotency'),
    destinationAnswer: invent('answer', 'any'),
    chatPath: invent('chatpath'),
    routingKey: invent('routing'),
    deadManPath: invent('deadman'),
    otlpKey: invent('otlp'),
    notifySecret: `whsec_${randomBytes(32).toString('base64')}`,
    apiPath: invent('apipath'),
    apiQuery: invent('apiquery', 'any'),
  };
}

export type InventedSecrets = ReturnType<typeof inventSecrets> & Record<string, string>;
