import { describe, expect, it } from 'vitest';
import { nameInShard, shardOf } from '../../../../proxy/redis/shards.ts';

describe('Redis shards', () => {
  it('are the CRC-16 of Redis Cluster, modulo 64', () => {
    // CRC-16 of "123456789" is 0x31C3, the check value of the polynomial.
    expect(shardOf('123456789')).toBe(0x31c3 % 64);
  });

  it('have names with a readable layout and shard', () => {
    expect(nameInShard('rate:1', 3, 'x')).toBe('gateway:rate:1:{l03}:x');
    expect(nameInShard('usage:1', 63, 'x')).toBe('gateway:usage:1:{l63}:x');
  });

  it('are used evenly', () => {
    const counts = new Map<number, number>();
    for (let i = 0; i < 6_400; i++) {
      const shard = shardOf(`0199a7b2-4c1d-7e00-8000-${String(i).padStart(12, '0')}`);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect(counts.size).toBe(64);
    expect(Math.max(...counts.values())).toBeLessThan(200);
  });
});
