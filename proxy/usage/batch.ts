// Events on their way out, and what they take of memory.
import type { UsageEvent } from '../budgets/ledger-client.ts';

export interface Batch {
  events: readonly UsageEvent[];
  bytes: number;
  /** Monotonic, when the first of them was recorded. */
  readonly since: number;
}

/** What the service takes at once. */
export const batchEventsMax = 1_000;
/** A quarter of what a gRPC message may hold: by estimate, and a character may be three bytes. */
export const batchBytesMax = 1024 * 1024;

const objectBytes = 500;
const chargeBytes = 120;
const stringBytes = 24;
const specialBytes = 150;

/** By its strings, as if it shared none with others. */
export function bytesOf(event: UsageEvent): number {
  let bytes = objectBytes + 12 * stringBytes;
  bytes += event.id.length + event.session.length + event.organizationId.length + event.keyId.length;
  bytes += event.requestId.length + event.provider.length + event.modelAsked.length;
  bytes += event.modelAnswered.length + event.errorCode.length + event.errorSource.length;
  bytes += lengthOf(event.aiSystemId) + lengthOf(event.personId) + lengthOf(event.projectKeyId);
  bytes +=
    lengthOf(event.projectAiSystemId) + lengthOf(event.projectPersonId) + lengthOf(event.providerKeyId);
  bytes += lengthOf(event.guardrailId);
  if (event.special !== undefined) bytes += specialBytes;
  return bytes + event.charges.length * chargeBytes;
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
