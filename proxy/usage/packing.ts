// Events as compressed JSON: where many wait, in memory or in Redis.
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { UsageEvent } from '../budgets/ledger-client.ts';

/** Takes its time away from the event loop. */
export interface Packing {
  pack(events: readonly UsageEvent[]): Promise<Uint8Array>;
  /** @param packed by `pack` of this version or an older one. @param bytesMax of what comes out. @throws RangeError above it */
  unpack(packed: Uint8Array, bytesMax?: number): Promise<readonly UsageEvent[]>;
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export const packing: Packing = {
  pack: (events) => deflate(JSON.stringify(events), { level: 1 }),
  unpack: async (packed, bytesMax) => {
    const text = await inflate(packed, bytesMax === undefined ? {} : { maxOutputLength: bytesMax });
    return JSON.parse(text.toString());
  },
};
