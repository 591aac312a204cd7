import { expect, it } from 'vitest';
import { cleanAttributes } from './clean-attributes.ts';

it('lets through what the catalog names, of its kind, and nothing else', () => {
  const fields = {
    observation: 'obs_0123456789abcdef',
    service: 'research\u202e-agent',
    verification: 'tdg_invented-key',
    verdict: 'healthy',
    generation: '7',
    url: 'https://example.org/?key=invented',
    authorization: 'Bearer invented',
  };
  expect(cleanAttributes('verify', fields)).toEqual({
    'tidegate.observation': 'obs_0123456789abcdef',
    'tidegate.service': 'research-agent',
    'tidegate.verdict': 'healthy',
  });
});

it('drops a code that is a sentence, and a status that is text', () => {
  expect(cleanAttributes('release', { phase: 'It was not sent.', status: 'ok', callback: null })).toEqual({});
});
