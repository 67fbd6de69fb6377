// Writes records to Redis in the layout of releases before signatures, for the code that still reads it.
import { type SealKeys, seal } from '../../../common/seal.ts';
import type { CachedRecord } from '../../../proxy/access/held.ts';
import { nameInLayout4 } from '../../../proxy/record-cache/redis-layout-4.ts';

/** @param confirmedAt milliseconds since 1970 */
export function inLayout4(keys: SealKeys, held: CachedRecord, confirmedAt: number): { name: string; bytes: Buffer } {
  const name = nameInLayout4(held);
  const { epoch, revision } = held.asOf;
  const organization = held.kind === 'organization' ? held.record.id : held.record.organizationId;
  const header = Buffer.from(JSON.stringify([epoch, revision, organization]));
  const prefix = Buffer.from([4, 0, header.length]);
  const context = {
    derive: [held.kind, organization, name],
    associated: ['4', held.kind, name, epoch, String(revision)],
  };
  const content = Buffer.from(JSON.stringify({ confirmedAt, record: storable(held) }));
  return { name, bytes: Buffer.concat([prefix, header, seal(keys, context, content)]) };
}

function storable(held: CachedRecord): object {
  if (held.kind !== 'organization') return held.record;
  const providerKeys = held.record.providerKeys.map((key) => ({
    ...key,
    secret: { apiKey: key.secret.apiKey?.reveal() },
  }));
  return { ...held.record, providerKeys };
}
