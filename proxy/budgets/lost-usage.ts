// Notices that the ledger has leased more to a session than its proxy knows of, for a long time. Then usage was lost on
// its way, and its money would stay leased as long as the proxy lives. The session ends instead, and the money becomes
// unconfirmed.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import { usdOfNano } from '../../common/money.ts';
import type { SessionResponse } from '../usage/ledger-client.ts';
import type { UnconfirmedUsage } from '../usage/live-usage-log.ts';

export interface LostUsageDeps {
  readonly clock: Clock;
  readonly background: Background;
  readonly log: Logger;
  readonly metrics: { escrowLost(amount: number): void };
  readonly usage: Pick<UnconfirmedUsage, 'isOverflowEmpty'>;
  /** Nano-dollars of the session that are in this process, or on their way from here. */
  readonly known: (session: string) => number;
  readonly onLost: (session: string) => void;
}

/** No message is under way for this long. */
export const driftMs = 300_000;

export class LostUsage {
  readonly #deps: LostUsageDeps;
  #session = '';
  #since = 0;
  #least = 0;

  constructor(deps: LostUsageDeps) {
    this.#deps = deps;
  }

  /** @param session empty if none is open */
  compare({ leased }: SessionResponse, session: string): void {
    if (leased === undefined || session === '') return;
    const lost = this.#seen(session, leased - this.#deps.known(session));
    if (lost !== undefined) this.#deps.background('find lost usage', this.#endIfLost(session, lost));
  }

  /** @returns the nano-dollars by which the ledger had more all the time, once that is long enough */
  #seen(session: string, tooMany: number): number | undefined {
    if (tooMany <= 0) {
      this.#session = '';
      return undefined;
    }
    const now = this.#deps.clock.monotonic();
    if (session !== this.#session) {
      this.#session = session;
      this.#since = now;
      this.#least = tooMany;
    }
    this.#least = Math.min(this.#least, tooMany);
    return now - this.#since >= driftMs ? this.#least : undefined;
  }

  async #endIfLost(session: string, lost: number): Promise<void> {
    const { log, metrics, onLost, usage } = this.#deps;
    if (!(await usage.isOverflowEmpty())) return;
    log.error(
      { session, lost_usd: usdOfNano(lost) },
      'usage was lost on its way to the ledger: its reservations are unconfirmed once this session is over',
    );
    metrics.escrowLost(lost);
    onLost(session);
  }
}
