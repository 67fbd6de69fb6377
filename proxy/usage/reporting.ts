// Reports usage: decides when to try again while the control plane is away, and finds the events that it refuses for
// good. Events may be reported any number of times: each is recorded once.
import { type BackoffOptions, backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import { type LedgerClient, LedgerRefusedError, type UsageEvent } from './ledger-client.ts';

export interface ReportingDeps {
  readonly client: Pick<LedgerClient, 'report'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** The control plane is found to be away, or has responded again. */
  readonly onChange: (state: 'away' | 'back', error: unknown) => void;
}

/** Every event is in the ledger unless it is named here. */
export interface Report {
  /** Recorded events with the database's epoch: a report may have been divided. */
  readonly recorded: readonly { readonly events: readonly UsageEvent[]; readonly epoch: string }[];
  /** Not known to be recorded: to be reported again. */
  readonly failed: readonly UsageEvent[];
  /** Refused for good, each event alone. */
  readonly refused: readonly UsageEvent[];
  /** Why events failed: this proxy may not report them, so another has to. */
  readonly denied: boolean;
}

const backoff: BackoffOptions = { firstMs: 100, maxMs: 5_000 };
/** Failures for this long are not just the restart of one replica. */
const awayAfterMs = 500;

export class Reporting {
  readonly #deps: ReportingDeps;
  #failures = 0;
  #failingSince: number | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #nextTryAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ReportingDeps) {
    this.#deps = deps;
  }

  /** There was no response since the last failure: one report at a time is enough to detect a change. */
  get isFailing(): boolean {
    return this.#failingSince !== undefined;
  }

  /** Failing for longer than it takes to find another replica. */
  get isAway(): boolean {
    return this.#failingSince !== undefined && this.#failedAt - this.#failingSince >= awayAfterMs;
  }

  /** Monotonic; in the past if a report may be tried now. */
  get nextTryAt(): number {
    return this.#nextTryAt;
  }

  /**
   * Never rejects. An event that is refused for good is found by halves, so that the others are recorded.
   * @param whose if this proxy may not report its `own` usage, that is a failure like any other, and an operator may
   * correct it; if it may not report the usage that another proxy left, that is no sign about the control plane
   */
  async report(events: readonly UsageEvent[], whose: 'own' | 'any'): Promise<Report> {
    const startedAt = this.#deps.clock.monotonic();
    try {
      const { epoch } = await this.#deps.client.report(events);
      this.#onResponse();
      return { recorded: [{ events, epoch }], failed: [], refused: [], denied: false };
    } catch (error) {
      const reason = error instanceof LedgerRefusedError ? error.reason : undefined;
      if (reason === 'invalid') return this.#byHalves(events, whose);
      const denied = reason === 'denied';
      if (denied && whose === 'any') this.#onResponse();
      else this.#failed(error, startedAt);
      return { recorded: [], failed: events, refused: [], denied };
    }
  }

  async #byHalves(events: readonly UsageEvent[], whose: 'own' | 'any'): Promise<Report> {
    this.#onResponse();
    if (events.length <= 1) return { recorded: [], failed: [], refused: events, denied: false };
    const middle = Math.ceil(events.length / 2);
    const first = await this.report(events.slice(0, middle), whose);
    const second = await this.report(events.slice(middle), whose);
    return {
      recorded: [...first.recorded, ...second.recorded],
      failed: [...first.failed, ...second.failed],
      refused: [...first.refused, ...second.refused],
      denied: first.denied || second.denied,
    };
  }

  #onResponse(): void {
    const wasAway = this.isAway;
    this.#failures = 0;
    this.#failingSince = undefined;
    this.#nextTryAt = Number.NEGATIVE_INFINITY;
    if (wasAway) this.#deps.onChange('back', undefined);
  }

  #failed(error: unknown, startedAt: number): void {
    const wasAway = this.isAway;
    const now = this.#deps.clock.monotonic();
    // Reports that were under way together fail together: that is one failure.
    if (startedAt >= this.#failedAt) this.#failures += 1;
    this.#failedAt = now;
    // A report without a response shows that nothing responded during its whole wait.
    this.#failingSince ??= startedAt;
    this.#nextTryAt = now + backoffMs(Math.max(1, this.#failures), backoff, this.#deps.random);
    if (!wasAway && this.isAway) this.#deps.onChange('away', error);
  }
}
