import { AppError } from '@tidegate/core';
import { inspectStore, type StoreInspection } from '@tidegate/store';
import { broken, type Finding, ok, warning } from './finding.ts';

export interface ExaminedStore {
  readonly findings: readonly Finding[];
  /** Null when it cannot be asked. */
  readonly store: StoreInspection | null;
}

/** Whether the database is there, is a primary that keeps what it commits, and has the schema of this code. */
export async function examinePostgres(url: string | null, dataDir: string): Promise<ExaminedStore> {
  if (url === null) {
    const says = `No database runs for ${dataDir}, and DATABASE_URL is not set.`;
    const fix = 'Start `tidegate up`, or set TIDEGATE_DATA_DIR or DATABASE_URL to those of what runs.';
    return { findings: [broken('postgres', says, fix)], store: null };
  }
  try {
    const store = await inspectStore(url, Date.now);
    return { findings: judgeStore(store), store };
  } catch (error) {
    return { findings: [describeFailure(error)], store: null };
  }
}

/** SQLSTATE 28… is a refused sign-in, 3D000 a database that is not there. */
function describeFailure(error: unknown): Finding {
  const code = error instanceof AppError ? (error.detail ?? error.code) : 'unknown';
  if (code.startsWith('28')) {
    return broken('postgres', `Postgres refuses the user of DATABASE_URL (${code}).`, 'Correct its user or password.');
  }
  if (code === '3D000') {
    return broken('postgres', 'The database that DATABASE_URL names does not exist.', 'Create it, or name another.');
  }
  return broken(
    'postgres',
    `Postgres cannot be asked (${code}).`,
    'Start it (`tidegate up` starts the embedded one), and see that DATABASE_URL names its host and port.',
  );
}

function judgeStore({ version, tooOld, standby, unsafeSettings, migrations }: StoreInspection): Finding[] {
  const { missing, unknown } = migrations;
  const findings = [
    ...(tooOld ? [broken('postgres', `PostgreSQL ${version} is too old.`, 'Upgrade it to 14 or newer.')] : []),
    ...(standby
      ? [
          broken(
            'postgres',
            'It is a standby, which answers gates from the past.',
            'Let DATABASE_URL name the primary.',
          ),
        ]
      : []),
    ...unsafeSettings.map((setting) =>
      broken(
        'postgres',
        `${setting} is off: what was answered 202 may be gone after a power cut.`,
        `Set ${setting} = on in postgresql.conf and restart Postgres.`,
      ),
    ),
    ...(missing > 0
      ? [warning('postgres', `${missing} migration(s) are not applied yet.`, 'Start any of the apps: it applies them.')]
      : []),
    ...(unknown > 0
      ? [
          broken(
            'postgres',
            `It was migrated by a newer Tidegate (${unknown} migration(s) more).`,
            'Start that version, or restore an older backup.',
          ),
        ]
      : []),
  ];
  if (findings.length > 0) return findings;
  return [ok('postgres', `PostgreSQL ${version}, a primary; the schema is current.`)];
}
