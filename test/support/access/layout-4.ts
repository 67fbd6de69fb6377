// Writes records to Redis in the layout of releases before signatures, for the code that still reads it.
import { type SealKeys, seal } from '../../../common/seal.ts';
import type { CachedRecord } from '../../../proxy/access/cached-record.ts';
import { nameInLayout4 } from '../../../proxy/record-cache/redis-layout-4.ts';

/** @param confirmedAt milliseconds since 1970 */
export function inLayout4(keys: SealKeys, waiting: CachedRecord, confirmedAt: number): { name: string; bytes: Buffer } {
  if (waiting.kind === 'platform') throw new Error('no release wrote it in this layout');
  const name = nameInLayout4(waiting);
  const { epoch, revision } = waiting.asOf;
  const organization = waiting.kind === 'organization' ? waiting.record.id : waiting.record.organizationId;
  const header = Buffer.from(JSON.stringify([epoch, revision, organization]));
  const prefix = Buffer.from([4, 0, header.length]);
  const context = {
    derive: [waiting.kind, organization, name],
    associated: ['4', waiting.kind, name, epoch, String(revision)],
  };
  const content = Buffer.from(JSON.stringify({ confirmedAt, record: storable(waiting) }));
  return { name, bytes: Buffer.concat([prefix, header, seal(keys, context, content)]) };
}

function storable(waiting: CachedRecord): object {
  if (waiting.kind !== 'organization') return waiting.record;
  const providerKeys = waiting.record.providerKeys.map((key) => ({
    ...key,
    secret: { apiKey: key.secret.apiKey?.reveal() },
  }));
  return { ...waiting.record, providerKeys };
}
