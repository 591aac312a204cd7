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
        expect(read).toMatchObject({ damaged: 0, tornBytes: 0 });
      }),
    );
  });

  it('cut off anywhere, keep all that was whole before, and tell how much was torn', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), (parts, seed) => {
        const bytes = write(parts);
        const cut = seed % bytes.length;
        const whole = frameAt(parts, cut);
        const read = readFrames(bytes.subarray(0, cut));
        expect(texts(read.payloads)).toEqual(texts(parts.slice(0, whole)));
        expect(read.damaged).toBe(0);
        expect(read.tornBytes).toBe(cut - write(parts.slice(0, whole)).length);
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
        expect(read.damaged + (read.tornBytes > 0 ? 1 : 0)).toBe(1);
        // Only at the very end can damage look like an append that was cut off.
        if (hit < parts.length - 1) expect(read.damaged).toBe(1);
      }),
      { numRuns: 500 },
    );
  });

  it('take room that was never written for a torn end, and other bytes for damage', () => {
    const bytes = write([Buffer.from('kept')]);
    expect(readFrames(Buffer.concat([bytes, Buffer.alloc(4096)]))).toMatchObject({ damaged: 0, tornBytes: 4096 });
    expect(readFrames(Buffer.concat([bytes, Buffer.from('garbage')]))).toMatchObject({ damaged: 1, tornBytes: 0 });
    expect(readFrames(Buffer.alloc(0))).toEqual({ payloads: [], damaged: 0, tornBytes: 0 });
  });
});
