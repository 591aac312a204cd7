import type { AuditHead } from '@tidegate/core';
import { InvalidArgumentError } from 'commander';

/** Rows are counted from 1: a head of row 0 would be reached by any trail, and prove nothing. */
const HEAD = /^([1-9]\d{0,14}):(?:mac_)?([0-9a-f]{64})$/;

/** A head as `audit head` and the log show it. */
export function toHead(text: string): AuditHead {
  const [, seq, mac] = HEAD.exec(text) ?? [];
  if (seq === undefined || mac === undefined) {
    throw new InvalidArgumentError('A head is SEQ:MAC, as `tidegate audit head` and the log event audit.head give it.');
  }
  return { seq: Number(seq), mac: Buffer.from(mac, 'hex') };
}
