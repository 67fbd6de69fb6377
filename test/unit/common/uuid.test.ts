// Ids sort by creation time, also within one millisecond.
import { describe, expect, it } from 'vitest';
import { isUuid, uuidv7 } from '../../../common/uuid.ts';

describe('an id', () => {
  it('is a UUID of version 7 with its time', () => {
    const id = uuidv7(0x0123456789ab);
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('sorts after those that the process made before it in the same millisecond', () => {
    const ids = Array.from({ length: 2000 }, () => uuidv7(1_790_000_000_000));
    expect(ids.toSorted()).toEqual(ids);
  });

  it('is unique even when the clock stands still', () => {
    expect(new Set(Array.from({ length: 20_000 }, () => uuidv7(1_790_000_000_001))).size).toBe(20_000);
  });

  it('does not sort by the random part of another millisecond', () => {
    const ids = [1, 2, 3, 4].map((ms) => uuidv7(1_790_000_000_000 + ms));
    expect(ids.toSorted()).toEqual(ids);
  });
});
