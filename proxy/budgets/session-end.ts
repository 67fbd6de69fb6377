// Closes sessions in which this proxy makes no more reservations. The call names the outstanding amounts, and is
// repeated as they shrink, until nothing is outstanding. So nothing has to be released, even if the ledger has lost
// their leases.
import type { Background } from '../../common/background.ts';
import { backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import { type LedgerClient, LedgerRefusedError } from '../usage/ledger-client.ts';
import type { UnconfirmedUsage } from '../usage/live-usage-log.ts';
import type { Escrow } from '../usage/unacknowledged.ts';
import { budgetBounds } from './bounds.ts';
import type { Contact } from './contact.ts';
import type { Lease } from './lease.ts';

export interface SessionEndsDeps {
  readonly client: Pick<LedgerClient, 'closeSession'>;
  readonly contact: Contact;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: () => number;
  readonly background: Background;
  readonly log: Logger;
  /**
   * Outstanding amounts of the session, by lease: reservations, and escrow that the ledger is not known to have. A
   * lease may occur twice.
   */
  readonly outstanding: (session: string) => readonly Escrow[];
  /** Nothing is outstanding any longer, or the ledger refuses to close the session. */
  readonly onEnded: (session: string) => void;
}

const { retryFirstMs, retryMaxMs } = budgetBounds;
const namedMax = 1_000;

export class SessionEnds {
  readonly #deps: SessionEndsDeps;
  /** Outstanding nano-dollars in the last report. */
  readonly #reported = new Map<string, number>();
  readonly #sending = new Set<string>();
  #isClosed = false;

  constructor(deps: SessionEndsDeps) {
    this.#deps = deps;
  }

  /** Resolves once the ledger has closed the session or refused to. Never rejects. */
  async end(session: string): Promise<void> {
    this.#reported.set(session, Number.POSITIVE_INFINITY);
    for (let tries = 1; !this.#isClosed; tries++) {
      if (await this.report(session)) return;
      await this.#pause(tries);
    }
  }

  /**
   * Tries until the ledger responds, once at least. Never rejects.
   * @param until monotonic: a try that fails after it is the last
   */
  async endBy(session: string, until: number): Promise<void> {
    for (let tries = 1; !(await this.report(session)); tries++) {
      if (this.#deps.clock.monotonic() >= until) return;
      await this.#pause(tries);
    }
  }

  /** Reports the sessions that have less outstanding than in their last report. */
  sweep(): void {
    for (const [session, reported] of this.#reported) {
      if (this.#sending.has(session) || !Number.isFinite(reported)) continue;
      if (sumOf(this.#deps.outstanding(session)) < reported)
        this.#deps.background('close a ledger session', this.report(session));
    }
  }

  /** Tries once. @returns whether there was a response */
  async report(session: string): Promise<boolean> {
    const { clock, contact, log } = this.#deps;
    const outstanding = summed(this.#deps.outstanding(session));
    this.#sending.add(session);
    try {
      const andOthers = outstanding.length > namedMax;
      for (let from = 0; from === 0 || from < outstanding.length; from += namedMax) {
        const end = { session, outstanding: outstanding.slice(from, from + namedMax), andOthers };
        await contact.ask(clock.monotonic(), () => this.#deps.client.closeSession(end));
      }
      this.#onResponse(session, sumOf(outstanding));
      return true;
    } catch (err) {
      if (!(err instanceof LedgerRefusedError)) return false;
      log.warn({ err, session }, 'the ledger does not close a session; it ends when it has been silent');
      this.#onResponse(session, 0);
      return true;
    } finally {
      this.#sending.delete(session);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  #onResponse(session: string, outstanding: number): void {
    this.#reported.set(session, outstanding);
    if (outstanding > 0) return;
    this.#reported.delete(session);
    this.#deps.onEnded(session);
  }

  #pause(tries: number): Promise<void> {
    const { random, timers } = this.#deps;
    const delayMs = backoffMs(tries, { firstMs: retryFirstMs, maxMs: retryMaxMs }, random);
    return new Promise((resolve) => void timers.after(delayMs, resolve));
  }
}

function summed(parts: readonly Escrow[]): readonly Escrow[] {
  const sums = new Map<string, Escrow>();
  for (const { amount, budgetId, window } of parts) {
    const key = `${budgetId} ${window}`;
    sums.set(key, { budgetId, window, amount: amount + (sums.get(key)?.amount ?? 0) });
  }
  return [...sums.values()];
}

function sumOf(parts: readonly Escrow[]): number {
  let sum = 0;
  for (const { amount } of parts) sum += amount;
  return sum;
}

/**
 * Amounts that may still be charged to a session, by lease, several for one lease perhaps: reservations, and escrow
 * that the ledger is not known to have.
 */
export function outstandingOf(
  session: string,
  leases: Iterable<Lease>,
  usage: Pick<UnconfirmedUsage, 'queued' | 'elsewhere'>,
): readonly Escrow[] {
  const parts = [...usage.queued(session), ...usage.elsewhere(session)];
  for (const { reservations, origin } of leases)
    if (origin.session === session && reservations > 0) parts.push({ ...origin, amount: reservations });
  return parts;
}

/**
 * All money of a session that this proxy knows of, in nano-dollars: free or reserved here, in a release under way, or
 * in events that wait to be reported from here.
 */
export function knownOf(session: string, leases: Iterable<Lease>, usage: Pick<UnconfirmedUsage, 'queued'>): number {
  let known = 0;
  for (const { available, reservations, operation, origin } of leases) {
    if (origin.session !== session) continue;
    known += available + reservations;
    if (operation?.kind === 'release') known += operation.request.amount;
  }
  for (const { amount } of usage.queued(session)) known += amount;
  return known;
}
