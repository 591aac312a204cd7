import { expect, it } from 'vitest';
import { newSigningSecret } from './new-path-secret.ts';

it('makes signing secrets of 24 random bytes in the form Standard Webhooks names', () => {
  const secrets = Array.from({ length: 50 }, newSigningSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(24);
  }
  expect(new Set(secrets).size).toBe(50);
});
