// Reports of usage as the control plane answers them: whose turn it is to try while it is away, and which events it refuses for
// good. Events may be reported any number of times: each is recorded once.
import { type BackoffOptions, backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import { type LedgerClient, LedgerRefusedError, type UsageEvent } from './ledger-client.ts';

export interface ReportingDeps {
  readonly client: Pick<LedgerClient, 'report'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** It has been found to be away; it has answered again. */
  readonly onChange: (state: 'away' | 'back', error: unknown) => void;
}

/** Every event is in the books unless it is named here. */
export interface Report {
  /** Where those are, by the database's epoch: a report may have been divided. */
  readonly recorded: readonly { readonly events: readonly UsageEvent[]; readonly epoch: string }[];
  /** Not known to be recorded: to be reported again. */
  readonly failed: readonly UsageEvent[];
  /** Refused for good, each on its own. */
  readonly refused: readonly UsageEvent[];
  /** Of what failed: this proxy may not report it, so another has to. */
  readonly denied: boolean;
}

const backoff: BackoffOptions = { firstMs: 100, maxMs: 5_000 };
/** Failures for so long are no restart of one replica. */
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

  /** Nothing was answered since the last failure: one report at a time is enough to find out. */
  get isFailing(): boolean {
    return this.#failingSince !== undefined;
  }

  /** Failing for longer than it takes to find another replica. */
  get isAway(): boolean {
    return this.#failingSince !== undefined && this.#failedAt - this.#failingSince >= awayAfterMs;
  }

  /** Monotonic; in the past where nothing speaks against a try. */
  get nextTryAt(): number {
    return this.#nextTryAt;
  }

  /**
   * Never rejects. Where an event is refused for good it is found by halves, so that the others are recorded.
   * @param whose that this proxy may not report usage of its own is a failure like any other, and somebody may see to it; that
   * it may not report what another has left says nothing about the control plane
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
    // Reports that were under way together fail together, and that is one failure.
    if (startedAt >= this.#failedAt) this.#failures += 1;
    this.#failedAt = now;
    // One that was never answered has said for as long as it was waited for that nobody is there.
    this.#failingSince ??= startedAt;
    this.#nextTryAt = now + backoffMs(Math.max(1, this.#failures), backoff, this.#deps.random);
    if (!wasAway && this.isAway) this.#deps.onChange('away', error);
  }
}
