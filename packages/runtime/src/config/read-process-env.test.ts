import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { readProcessEnv } from './read-process-env.ts';

const CANARY = 'canary-91b7';

describe('the process environment', () => {
  it('has defaults, and an empty variable counts as unset', () => {
    expect(readProcessEnv({ DATABASE_URL: '', REDIS_URL: '', TIDEGATE_PORT: '' })).toEqual({
      configFile: 'tidegate.yaml',
      dataDir: '.tidegate',
      databaseUrl: null,
      redisUrl: null,
      host: '127.0.0.1',
      port: null,
      adminPort: null,
      receiverPort: null,
      apiPort: null,
      readyFile: null,
      logLevel: 'info',
    });
  });

  it('is read', () => {
    const env = readProcessEnv({
      DATABASE_URL: 'postgresql://app@db/tidegate',
      REDIS_URL: 'rediss://cache:6380',
      TIDEGATE_PORT: '0',
      TIDEGATE_ADMIN_PORT: '9100',
      TIDEGATE_HOST: '::1',
      LOG_LEVEL: 'debug',
    });
    expect(env).toMatchObject({ databaseUrl: 'postgresql://app@db/tidegate', redisUrl: 'rediss://cache:6380' });
    expect(env).toMatchObject({ port: 0, adminPort: 9100, host: '::1', logLevel: 'debug' });
  });

  it.each([
    'TIDEGATE_PORT',
    'TIDEGATE_ADMIN_PORT',
    'TIDEGATE_RECEIVER_PORT',
    'TIDEGATE_API_PORT',
    'DATABASE_URL',
    'REDIS_URL',
    'LOG_LEVEL',
  ])(verifies('I3', 'is refused by name and without the value: %s'), (variable) => {
    let message = '';
    try {
      readProcessEnv({ [variable]: CANARY });
    } catch (error) {
      expect(error).toMatchObject({ code: 'env_invalid', variable });
      message = String(error);
    }
    expect(message).toContain(`${variable} must be`);
    expect(message).not.toContain(CANARY);
  });

  it.each(['65536', '-1', '8080x', '1e3', ' 80'])('has no port %j', (port) => {
    expect(() => readProcessEnv({ TIDEGATE_PORT: port })).toThrow('TIDEGATE_PORT must be a whole number');
  });
});
