// Usage events on their way out: their size in memory, and their packed form where many wait.
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { aList, aNumber, aRecord, aString, readShape, type Shape } from '../../common/json-shape.ts';
import type { UsageEvent } from './ledger-client.ts';

export interface Batch {
  events: readonly UsageEvent[];
  bytes: number;
  /** Monotonic; when the first of its events was recorded. */
  readonly since: number;
}

/** The most that the service accepts at once. */
export const batchEventsMax = 1_000;
/** A quarter of the maximum of a gRPC message: sizes are estimates, and a character may have three bytes. */
export const batchBytesMax = 1024 * 1024;

const objectBytes = 500;
const chargeBytes = 120;
const stringBytes = 24;
const specialBytes = 150;

/** Estimated from its strings, as if it shared none with other events. */
export function bytesOf(event: UsageEvent): number {
  let bytes = objectBytes + 12 * stringBytes;
  bytes += event.id.length + event.session.length + event.organizationId.length + event.keyId.length;
  bytes += event.requestId.length + event.provider.length + event.modelAsked.length;
  bytes += event.modelAnswered.length + event.errorCode.length + event.errorSource.length;
  bytes += lengthOf(event.aiSystemId) + lengthOf(event.personId) + lengthOf(event.projectKeyId);
  bytes += lengthOf(event.projectAiSystemId) + lengthOf(event.projectPersonId) + lengthOf(event.providerKeyId);
  bytes += lengthOf(event.guardrailId);
  if (event.special !== undefined) bytes += specialBytes;
  if (event.tags !== undefined) bytes += bytesOfTags(event.tags);
  return bytes + event.charges.length * chargeBytes;
}

function bytesOfTags(tags: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(tags)) bytes += 2 * stringBytes + name.length + value.length;
  return bytes;
}

function lengthOf(text: string | undefined): number {
  return text === undefined ? 0 : text.length;
}

export function bytesOfAll(events: readonly UsageEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += bytesOf(event);
  return bytes;
}

/** Nano-dollars. */
export function costOfAll(events: readonly UsageEvent[]): number {
  let cost = 0;
  for (const event of events) cost += event.cost;
  return cost;
}

/** Events as compressed JSON, in memory or in Redis. The compression runs off the event loop. */
export interface Packing {
  pack(events: readonly UsageEvent[]): Promise<Uint8Array>;
  /**
   * @param packed by `pack` of this version or an older one. @param bytesMax of the unpacked events. @throws RangeError
   * above it
   */
  unpack(packed: Uint8Array, bytesMax?: number): Promise<readonly UsageEvent[]>;
}

/** The fields on which money and attribution depend. The others may be those of an older version. */
type Essential = Pick<UsageEvent, 'id' | 'at' | 'session' | 'organizationId' | 'keyId' | 'cost' | 'charges'>;

const someEvents = aList(
  aRecord<Essential>({
    id: aString,
    at: aNumber,
    session: aString,
    organizationId: aString,
    keyId: aString,
    cost: aNumber,
    charges: aList(aRecord<UsageEvent['charges'][number]>({ budgetId: aString, window: aString, escrow: aNumber })),
  }),
) as Shape<UsageEvent[]>;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export const packing: Packing = {
  pack: async (events) => {
    const packed = await deflate(JSON.stringify(events), { level: 1 });
    // A copy: the result of zlib is the beginning of 64 KiB, which would be kept with it.
    return new Uint8Array(packed);
  },
  unpack: async (packed, bytesMax) => {
    const text = await inflate(packed, bytesMax === undefined ? {} : { maxOutputLength: bytesMax });
    return readShape(text.toString(), someEvents);
  },
};
