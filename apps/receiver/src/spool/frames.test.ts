import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, readFrames } from './frames.ts';

const payloads = fc.array(
  fc.string({ unit: 'binary', maxLength: 80 }).map((text) => Buffer.from(text)),
  { minLength: 1, maxLength: 12 },
);
const write = (parts: readonly Buffer[]) => Buffer.concat(parts.map(encodeFrame));
const texts = (parts: readonly Buffer[]) => parts.map((part) => part.toString('hex'));

/** Which frame a byte of the file belongs to. */
function frameAt(parts: readonly Buffer[], offset: number): number {
  let end = 0;
  return parts.findIndex((part) => {
    end += encodeFrame(part).length;
    return offset < end;
  });
}

describe('the frames of the spool', () => {
  it('give back what was written', () => {
    fc.assert(
      fc.property(payloads, (parts) => {
        const read = readFrames(write(parts));
        expect(texts(read.payloads)).toEqual(texts(parts));
        expect(read.damaged).toBe(0);
      }),
    );
  });

  it('cut off anywhere, keep all that was whole before, and tell of the cut', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), (parts, seed) => {
        const bytes = write(parts);
        const cut = seed % bytes.length;
        const whole = frameAt(parts, cut);
        const read = readFrames(bytes.subarray(0, cut));
        expect(texts(read.payloads)).toEqual(texts(parts.slice(0, whole)));
        expect(read.damaged).toBe(cut === write(parts.slice(0, whole)).length ? 0 : 1);
      }),
    );
  });

  it('with any byte changed, notice it and keep every other frame', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({ min: 1, max: 255 }), (parts, seed, flip) => {
        const bytes = write(parts);
        const at = seed % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        const hit = frameAt(parts, at);
        const read = readFrames(bytes);
        expect(texts(read.payloads)).toEqual(texts(parts.filter((_, index) => index !== hit)));
        expect(read.damaged).toBe(1);
      }),
      { numRuns: 500 },
    );
  });

  it('with any bit of the last length changed, notice it', () => {
    const kept = write([Buffer.from('kept')]);
    const last = encodeFrame(Buffer.from('answered'));
    for (let bit = 0; bit < 32; bit += 1) {
      const changed = Buffer.from(last);
      changed.writeUInt32BE((changed.readUInt32BE(4) ^ (1 << bit)) >>> 0, 4);
      expect(readFrames(Buffer.concat([kept, changed]))).toMatchObject({ payloads: [Buffer.from('kept')], damaged: 1 });
    }
  });

  it('take whatever follows the last of them for damage', () => {
    const bytes = write([Buffer.from('kept')]);
    expect(readFrames(Buffer.concat([bytes, Buffer.alloc(4096)])).damaged).toBe(1);
    expect(readFrames(Buffer.concat([bytes, Buffer.from('garbage')])).damaged).toBe(1);
    expect(readFrames(Buffer.alloc(0))).toEqual({ payloads: [], damaged: 0 });
  });
});
