// Spreads the values that all proxies keep in Redis over 64 shards, each one hash slot of a Redis Cluster, so that one
// script can use several values of a shard. Names contain the version of their layout: another layout has other names.

/** @param organizationId the shard is its CRC-16 (polynomial 0x1021, as Redis hashes keys) modulo 64 */
export function shardOf(organizationId: string): number {
  let crc = 0;
  for (const byte of Buffer.from(organizationId)) crc = ((crc << 8) ^ (crcOfByte[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  return crc % shardCount;
}

const crcOfByte = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

export const shardCount = 64;

/** The kind of values, and the version of their layout. */
export type RedisLayout = 'rate:1' | 'usage:1' | 'response:1' | 'health:1';

/** The braces make the shard the part of a name that decides its slot. */
export function nameInShard(layout: RedisLayout, shard: number, what: string): string {
  return `gateway:${layout}:{l${String(shard).padStart(2, '0')}}:${what}`;
}
