// What this proxy has to do with a session's money: what may still be charged to it, and all that it knows of.
import type { UnsettledUsage } from '../usage/live-usage-log.ts';
import type { Escrow } from '../usage/unacknowledged.ts';
import type { Slice } from './lease.ts';

/** By lease, each perhaps several times: holds, and escrow that the ledger is not known to have. */
export function outstandingOf(
  session: string,
  slices: Iterable<Slice>,
  usage: Pick<UnsettledUsage, 'queued' | 'elsewhere'>,
): readonly Escrow[] {
  const parts = [...usage.queued(session), ...usage.elsewhere(session)];
  for (const { holds, origin } of slices)
    if (origin.session === session && holds > 0) parts.push({ ...origin, amount: holds });
  return parts;
}

/** Nano-dollars: what is free or held here, on its way back, or waits to be reported from here. */
export function knownOf(
  session: string,
  slices: Iterable<Slice>,
  usage: Pick<UnsettledUsage, 'queued'>,
): number {
  let known = 0;
  for (const { available, holds, operation, origin } of slices) {
    if (origin.session !== session) continue;
    known += available + holds;
    if (operation?.kind === 'return') known += operation.request.amount;
  }
  for (const { amount } of usage.queued(session)) known += amount;
  return known;
}
