import { identifySubject, type Keyring, type Sealer } from '@tidegate/vault';
import type { IntakeItem } from '../receive/receive-delivery.ts';
import type { DataKeys } from './data-keys.ts';
import type { SpooledDelivery } from './spooled-record.ts';

export interface DeliverySealing {
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly dataKeys: DataKeys;
}

/** A delivery as it may lie on disk: its subject is looked up by fingerprints, and its id is sealed unless it is public. */
export async function sealDelivery(
  { keyring, sealer, dataKeys }: DeliverySealing,
  { subject: named, delivery }: IntakeItem,
): Promise<SpooledDelivery> {
  await sealer.ready();
  const { group, type, id, fingerprint } = named;
  const subject = identifySubject({ keyring, sealer }, { group, type, id }, fingerprint ?? undefined);
  return {
    kind: 'delivery',
    subject,
    delivery,
    dataKeys: dataKeys.listFor([subject.sealedId, delivery.sealedActionDate]),
  };
}
