import type { SafeName, SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql } from '../database/connect.ts';
import { lockSource } from './lock-source.ts';

export interface SourceOrder {
  readonly name: string;
  readonly actor: SafeName;
}

export interface SecretRotation extends SourceOrder {
  /** Keyed hash of the second secret. */
  readonly secretHash: Buffer;
  /** The second secret takes the place of the one that was made for the config, and will be in its file. */
  readonly becomesConfigured: boolean;
}

export type RotatedSource =
  | { readonly kind: 'rotated' }
  | { readonly kind: 'not_found' }
  /** Two are live already: finish that rotation first. */
  | { readonly kind: 'under_way' };

/** Adds a second live secret to a source, with its audit row: Localtonet cannot edit a webhook, so both work for a while. */
export async function rotateSource(
  sql: Sql,
  rotation: SecretRotation,
  sign: SignAudit,
): Promise<Audited<RotatedSource>> {
  return inAuditedTransaction<RotatedSource>(sql, sign, async (tx) => {
    const { name, actor, secretHash, becomesConfigured } = rotation;
    const source = await lockSource(tx, name);
    if (source === null) return { outcome: { kind: 'not_found' }, entry: null };
    if (source.secrets.length > 1) return { outcome: { kind: 'under_way' }, entry: null };
    if (becomesConfigured) await tx`update source_secret set origin = 'cli' where source_id = ${source.id}`;
    await tx`insert into source_secret (lookup_hash, source_id, origin)
             values (${secretHash}, ${source.id}, ${becomesConfigured ? 'config' : 'cli'})`;
    const entry = {
      actor,
      action: 'source.rotate',
      target: name,
      reason: null,
      facts: { origin: source.origin },
    } as const;
    return { outcome: { kind: 'rotated' }, entry };
  });
}

export type FinishedRotation =
  | { readonly kind: 'finished'; readonly retired: number }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'nothing_to_finish' }
  /** The config still gives the first secret, which would be live again at the next start. */
  | { readonly kind: 'configured' };

export interface RotationEnd extends SourceOrder {
  /** Keyed hash of the secret in the file that was made for the config; null without such a file. */
  readonly madeHash: Buffer | null;
}

/**
 * Retires every secret of a source but one, with its audit row. The one in its file stays, since every start would bring it
 * back; without a file the newest.
 */
export async function finishRotation(
  sql: Sql,
  order: RotationEnd,
  sign: SignAudit,
): Promise<Audited<FinishedRotation>> {
  return inAuditedTransaction<FinishedRotation>(sql, sign, async (tx) => {
    const source = await lockSource(tx, order.name);
    if (source === null) return { outcome: { kind: 'not_found' }, entry: null };
    const { madeHash } = order;
    const made = source.secrets.find(({ lookupHash }) => madeHash !== null && lookupHash.equals(madeHash));
    const kept = made ?? source.secrets[0];
    const old = source.secrets.filter((secret) => secret !== kept);
    if (old.length === 0) return { outcome: { kind: 'nothing_to_finish' }, entry: null };
    if (made === undefined && old.some(({ origin }) => origin === 'config')) {
      return { outcome: { kind: 'configured' }, entry: null };
    }
    for (const { lookupHash } of old) {
      await tx`update source_secret set retired_at = clock_timestamp() where lookup_hash = ${lookupHash}`;
    }
    const { name, actor } = order;
    const facts = { retired: old.length };
    const entry = { actor, action: 'source.finish_rotation', target: name, reason: null, facts } as const;
    return { outcome: { kind: 'finished', retired: old.length }, entry };
  });
}

export type RemovedSource =
  | { readonly kind: 'removed' }
  | { readonly kind: 'not_found' }
  /** The config names it and would bring it back. */
  | { readonly kind: 'configured' };

/** Retires a source that a person added, with its secrets and an audit row. What it reported stays. */
export async function removeSource(sql: Sql, order: SourceOrder, sign: SignAudit): Promise<Audited<RemovedSource>> {
  return inAuditedTransaction<RemovedSource>(sql, sign, async (tx) => {
    const { name, actor } = order;
    const source = await lockSource(tx, name);
    if (source === null) return { outcome: { kind: 'not_found' }, entry: null };
    if (source.origin === 'config') return { outcome: { kind: 'configured' }, entry: null };
    await tx`update source set retired_at = clock_timestamp() where id = ${source.id}`;
    await tx`update source_secret set retired_at = clock_timestamp() where source_id = ${source.id} and retired_at is null`;
    const entry = { actor, action: 'source.remove', target: name, reason: null, facts: {} } as const;
    return { outcome: { kind: 'removed' }, entry };
  });
}
