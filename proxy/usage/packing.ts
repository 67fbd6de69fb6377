// Events as compressed JSON: where many wait, in memory or in Redis.

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { aList, aNumber, aRecord, aString, readShape, type Shape } from '../../common/json-shape.ts';
import type { UsageEvent } from '../budgets/ledger-client.ts';

/** Takes its time away from the event loop. */
export interface Packing {
  pack(events: readonly UsageEvent[]): Promise<Uint8Array>;
  /** @param packed by `pack` of this version or an older one. @param bytesMax of what comes out. @throws RangeError above it */
  unpack(packed: Uint8Array, bytesMax?: number): Promise<readonly UsageEvent[]>;
}

/** What money and blame depend on; the rest may be that of an older version. */
type Essential = Pick<UsageEvent, 'id' | 'at' | 'session' | 'organizationId' | 'keyId' | 'cost' | 'charges'>;

const someEvents = aList(
  aRecord<Essential>({
    id: aString,
    at: aNumber,
    session: aString,
    organizationId: aString,
    keyId: aString,
    cost: aNumber,
    charges: aList(
      aRecord<UsageEvent['charges'][number]>({ budgetId: aString, window: aString, escrow: aNumber }),
    ),
  }),
) as Shape<UsageEvent[]>;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export const packing: Packing = {
  pack: (events) => deflate(JSON.stringify(events), { level: 1 }),
  unpack: async (packed, bytesMax) => {
    const text = await inflate(packed, bytesMax === undefined ? {} : { maxOutputLength: bytesMax });
    return readShape(text.toString(), someEvents);
  },
};
