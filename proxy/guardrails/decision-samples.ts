// Samples of guardrail decisions for the control plane's audit log: the caller and the time, never the matched text. At
// most a few of one kind are sampled in a minute; the decisions in between are counted. Samples that cannot be reported
// are dropped: the metrics have counted the decisions.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import { minuteMs } from '../../common/durations.ts';
import { lruCache } from '../../common/lru-cache.ts';
import type { Timers } from '../../common/timers.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { Stage } from '../../guardrails/definition.ts';
import type { Decision } from '../../proto/words/guardrails.ts';

/** One decision of a guardrail. */
export interface Decided {
  readonly guardrailId: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly stage: Stage;
  readonly decision: Decision;
}

export interface DecisionSample extends Decided {
  /** UUIDv7: a sample that is reported twice is recorded once. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Decisions of this kind since the last sample of it, this one included. */
  readonly decisions: number;
}

export interface DecisionClient {
  report(samples: readonly DecisionSample[]): Promise<void>;
}

export interface DecisionSamplesDeps {
  readonly client: DecisionClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
}

const perMinuteMax = 3;
const kindsMax = 10_000;
const waitingMax = 1_000;
/** The contract's limit for one report. */
const reportMax = 100;
const reportEveryMs = 1_000;
const triesMax = 5;

/** Decisions of one guardrail, stage and outcome. */
interface Kind {
  minute: number;
  samples: number;
  unreported: number;
}

export class DecisionSamples {
  readonly #deps: DecisionSamplesDeps;
  readonly #kinds = lruCache<Kind>(kindsMax);
  #waiting: DecisionSample[] = [];
  #tries = 0;
  #cancel: (() => void) | undefined;

  constructor(deps: DecisionSamplesDeps) {
    this.#deps = deps;
  }

  add(decided: Decided): void {
    const kind = this.#kindOf(decided);
    kind.unreported++;
    if (kind.samples >= perMinuteMax || this.#waiting.length >= waitingMax) return;
    kind.samples++;
    this.#waiting.push({ ...decided, id: uuidv7(), at: this.#deps.clock.now(), decisions: kind.unreported });
    kind.unreported = 0;
    this.#cancel ??= this.#soon(reportEveryMs);
  }

  /** Reports the waiting samples, once. */
  async close(): Promise<void> {
    this.#cancel?.();
    if (this.#waiting.length > 0) await this.#report().catch(() => undefined);
    this.#cancel?.();
  }

  #kindOf({ guardrailId, stage, decision }: Decided): Kind {
    const key = `${guardrailId} ${stage} ${decision}`;
    const minute = Math.floor(this.#deps.clock.monotonic() / minuteMs);
    const known = this.#kinds.get(key) ?? { minute, samples: 0, unreported: 0 };
    if (known.minute !== minute) {
      known.minute = minute;
      known.samples = 0;
    }
    this.#kinds.set(key, known);
    return known;
  }

  #soon(delayMs: number): () => void {
    return this.#deps.timers.after(delayMs, () => this.#deps.background('guardrail decisions', this.#report()));
  }

  async #report(): Promise<void> {
    const reported = this.#waiting.slice(0, reportMax);
    try {
      await this.#deps.client.report(reported);
      this.#waiting = this.#waiting.slice(reported.length);
      this.#tries = 0;
    } catch (error) {
      if (++this.#tries === triesMax) {
        this.#waiting = this.#waiting.slice(reported.length);
        this.#tries = 0;
        throw error;
      }
    } finally {
      this.#cancel = this.#waiting.length === 0 ? undefined : this.#soon(reportEveryMs * 2 ** this.#tries);
    }
  }
}
