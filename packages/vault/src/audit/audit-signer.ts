import { createHmac } from 'node:crypto';
import { canonicalJson, type SignAudit } from '@tidegate/core';
import type { Keyring } from '../keyring/keyring.ts';
import { encodeFields } from '../naming/encode-fields.ts';

/**
 * Makes the function that chains the audit trail: HMAC-SHA-256 over every field of a row and the MAC of the row before,
 * under a key of its own. Without the keyring no row can be made, changed or moved unnoticed (`checkChain` of core).
 */
export function auditSigner(keyring: Pick<Keyring, 'audit'>): SignAudit {
  return ({ seq, at, actor, action, target, reason, facts }, previous) => {
    const fields = [
      'tidegate audit row 1',
      String(seq),
      at,
      actor,
      action,
      target,
      reason === null ? 'no reason' : 'reason',
      reason ?? '',
      canonicalJson(facts),
      previous === null ? 'first' : Buffer.from(previous).toString('hex'),
    ];
    return createHmac('sha256', keyring.audit).update(encodeFields(fields)).digest();
  };
}
