import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the run's own process starts the shared servers on demand; see global-setup.ts. */
    testServersUrl: string;
  }
}

/** The URL of the one Postgres of this test run (database and role `tidegate`, may create databases); started when first asked for. */
export function sharedPostgresUrl(): Promise<string> {
  return askForServer('postgres');
}

/** The URL of the one Redis of this test run, started when first asked for. Use a key prefix of your own. */
export function sharedRedisUrl(): Promise<string> {
  return askForServer('redis');
}

async function askForServer(name: 'postgres' | 'redis'): Promise<string> {
  const response = await fetch(`${inject('testServersUrl')}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
