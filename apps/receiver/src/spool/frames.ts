import { crc32 } from 'node:zlib';

/** 0xff occurs in no UTF-8 text: the beginning of a frame cannot be found inside a payload. */
const MARKER = Buffer.from([0xff, 0x54, 0x47, 0x01]);
const LENGTH_AT = 4;
const CHECKSUM_AT = 8;
const PAYLOAD_AT = 12;

/** What could be read of a file of frames. */
export interface ReadFrames {
  readonly payloads: readonly Buffer[];
  /** Places where frames were and cannot be read. An end that is cut off is one: a changed length looks just like it. */
  readonly damaged: number;
}

/** A frame: marker, length (uint32), CRC-32 of length and payload, payload. The payload is UTF-8 text. */
export function encodeFrame(payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(PAYLOAD_AT + payload.length);
  MARKER.copy(frame);
  frame.writeUInt32BE(payload.length, LENGTH_AT);
  payload.copy(frame, PAYLOAD_AT);
  frame.writeUInt32BE(checksumOf(frame), CHECKSUM_AT);
  return frame;
}

/** Reads all frames that are whole; after a damaged one it goes on with the next that is. The payloads are views. */
export function readFrames(bytes: Buffer): ReadFrames {
  const payloads: Buffer[] = [];
  let damaged = 0;
  for (let at = 0; at < bytes.length; ) {
    const whole = wholeFrameAt(bytes, at);
    if (whole !== null) {
      payloads.push(whole.subarray(PAYLOAD_AT));
      at += whole.length;
      continue;
    }
    const next = findNextWhole(bytes, at + 1);
    damaged += 1;
    at = next === -1 ? bytes.length : next;
  }
  return { payloads, damaged };
}

function wholeFrameAt(bytes: Buffer, at: number): Buffer | null {
  if (at + PAYLOAD_AT > bytes.length || bytes.compare(MARKER, 0, MARKER.length, at, at + MARKER.length) !== 0)
    return null;
  const end = at + PAYLOAD_AT + bytes.readUInt32BE(at + LENGTH_AT);
  if (end > bytes.length) return null;
  const frame = bytes.subarray(at, end);
  return frame.readUInt32BE(CHECKSUM_AT) === checksumOf(frame) ? frame : null;
}

function findNextWhole(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(MARKER, from);
  while (at !== -1 && wholeFrameAt(bytes, at) === null) at = bytes.indexOf(MARKER, at + 1);
  return at;
}

function checksumOf(frame: Buffer): number {
  return crc32(frame.subarray(PAYLOAD_AT), crc32(frame.subarray(LENGTH_AT, CHECKSUM_AT)));
}
