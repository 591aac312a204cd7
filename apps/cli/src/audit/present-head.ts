import type { AuditHead } from '@tidegate/core';

/** The head of the trail as it is shown, logged and given back to `audit verify --head`. */
export interface ShownHead {
  readonly seq: number;
  readonly mac: string;
}

export function presentHead(head: AuditHead): ShownHead;
export function presentHead(head: AuditHead | null): ShownHead | null;
export function presentHead(head: AuditHead | null): ShownHead | null {
  return head === null ? null : { seq: head.seq, mac: `mac_${Buffer.from(head.mac).toString('hex')}` };
}

/** One line that a person can keep. */
export function describeHead(head: AuditHead): string {
  const { seq, mac } = presentHead(head);
  return `Audit row ${seq}:${mac}`;
}
