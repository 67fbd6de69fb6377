import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { ByteStore } from '../../../common/byte-store.ts';

const stored = (pieces: readonly Buffer[]) => {
  const store = new ByteStore();
  for (const piece of pieces) store.push(piece);
  return store;
};

/** Replaces Buffer.copy and records how many bytes each call copies. */
const copyNoting = (copied: number[]) =>
  function (this: Buffer, ...given: [Uint8Array, number?, number?, number?]): number {
    const [target, at = 0, from = 0, to = this.length] = given;
    copied.push(to - from);
    target.set(this.subarray(from, to), at);
    return to - from;
  };

describe('a byte store', () => {
  it('returns the same bytes however they were cut into pieces', () => {
    const whole = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
    for (const size of [1, 2, 3, 7, 64, 999, 1000]) {
      const pieces = Array.from({ length: Math.ceil(1000 / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      );
      const store = stored(pieces);
      expect(store.length).toBe(1000);
      expect(store.bytes.equals(whole)).toBe(true);
    }
  });

  it('returns a single piece without copying it, and never writes into a piece', () => {
    const piece = Buffer.from('abcdef').subarray(0, 3);
    expect(stored([piece]).bytes.buffer).toBe(piece.buffer);
    expect(stored([piece, Buffer.from('XYZ')]).bytes.toString()).toBe('abcXYZ');
    expect(Buffer.from(piece.buffer, piece.byteOffset, 6).toString()).toBe('abcdef');
  });

  it('is empty after a clear, and does not change bytes that it returned before', () => {
    const store = stored([Buffer.from('ab'), Buffer.from('cd')]);
    const before = store.bytes;
    store.clear();
    for (const piece of ['x', 'y']) store.push(Buffer.from(piece));
    expect([before.toString(), store.bytes.toString()]).toEqual(['abcd', 'xy']);
  });

  it('may be empty, and accepts empty pieces', () => {
    expect(stored([]).bytes.length).toBe(0);
    expect(stored([Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(0)]).bytes.toString()).toBe('a');
  });

  it.each([1000, 65_536, 3_000_000])(
    'returns the same bytes for many pieces of %i bytes, and copies them little by little',
    (size) => {
      const whole = randomBytes(9_000_000);
      const copied: number[] = [];
      const copy = vi.spyOn(Buffer.prototype, 'copy').mockImplementation(copyNoting(copied) as never);
      const store = new ByteStore();
      for (let at = 0; at < whole.length; at += size) {
        store.push(whole.subarray(at, at + size));
        if (at % (size * 16) === 0) expect(store.bytes.equals(whole.subarray(0, store.length))).toBe(true);
      }
      copy.mockRestore();
      expect(store.bytes.equals(whole)).toBe(true);
      // Small pieces are never copied in large steps.
      if (size < 1_000_000) expect(Math.max(...copied)).toBeLessThanOrEqual(Math.max(1024 * 1024, 16 * size));
    },
  );

  it('uses at most twice the memory of its bytes', () => {
    const store = stored(Array.from({ length: 100_000 }, () => Buffer.from('a')));
    expect(store.bytes.buffer.byteLength).toBeLessThanOrEqual(200_000);
  });
});
