// What the lease manager works with.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import type { AcquireResponse, LedgerClient } from '../usage/ledger-client.ts';
import type { UnconfirmedUsage } from '../usage/live-usage-log.ts';

export interface LeaseManagerMetrics {
  /** An acquire call got its response. @param granted nano-dollars */
  acquired(outcome: AcquireResponse['outcome'], granted: number): void;
  /** @param amount nano-dollars that the control plane has back */
  returned(amount: number): void;
  /** @param amount nano-dollars that were leased for usage that is lost */
  escrowLost(amount: number): void;
}

export interface LeaseManagerDeps {
  readonly client: Pick<LedgerClient, 'keepSession' | 'acquire' | 'release' | 'closeSession'>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  readonly log: Logger;
  readonly background: Background;
  readonly metrics: LeaseManagerMetrics;
  /** The usage that is not settled, for the end of a session. */
  readonly usage: UnconfirmedUsage;
  /** open: a session is open; over: no more reservations are made in it. */
  readonly onSession?: ((session: string, state: 'open' | 'over') => void) | undefined;
  /**
   * There is another session, or none, or the contact with the control plane has changed: every waiting request may
   * continue, or be refused.
   */
  readonly onChange: () => void;
}
