// An attacker with the cache key and write access to Redis. The attacker writes records that can be unsealed: records
// of other subjects, altered, moved, made younger or newer, or signed with the attacker's own key.
import {
  createSigningKey,
  parseSigningKey,
  type RecordSignature,
  type SignedRecord,
  signRecords,
} from '../../common/record-signature.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { Subject } from '../../proxy/access/cached-record.ts';
import { recordName, sealRecord, unsealRecord } from '../../proxy/record-cache/redis-records.ts';
import type { Random } from '../support/access/random.ts';
import type { FakeRedis } from '../support/access/redis.ts';

export interface Forgery {
  readonly random: Random;
  readonly redis: FakeRedis;
  readonly sealKeys: SealKeys;
  readonly subjects: readonly Subject[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

const ownKey = parseSigningKey(createSigningKey());

/** Writes one forged record, without expiry, where a record of some subject belongs. */
export function forgeRecord(forgery: Forgery): void {
  const { random, redis, sealKeys, subjects } = forgery;
  const from = random.pick(subjects);
  const value = redis.get(recordName(from));
  const record = value && unsealRecord(sealKeys, from, value);
  if (!record) return;
  const to = random.chance(0.5) ? from : random.pick(subjects);
  const forged = forge(forgery, { ...record, ...to });
  redis.plant(recordName(to), sealRecord(sealKeys, forged));
}

function forge({ random, now }: Forgery, record: SignedRecord): SignedRecord {
  const { signature } = record;
  const claiming = (claims: Partial<RecordSignature>) => ({
    ...record,
    signature: { ...signature, ...claims },
  });
  switch (random.below(6)) {
    case 0:
      return claiming({ signedAt: now });
    case 1:
      return claiming({ revision: signature.revision + 1 + random.below(1_000_000) });
    case 2:
      return claiming({ epoch: `epoch-${1 + random.below(4)}` });
    case 3: {
      const body = Buffer.from(record.body);
      const at = random.below(body.length);
      body[at] = (body[at] ?? 0) ^ (1 << random.below(8));
      return { ...record, body };
    }
    case 4: {
      const head = { ...signature, revision: signature.revision + random.below(10), signedAt: now };
      const [own = record] = signRecords(ownKey, head, [record]);
      return { ...own, signature: { ...own.signature, keyId: signature.keyId } };
    }
    default:
      // Moved, but otherwise unchanged.
      return record;
  }
}
