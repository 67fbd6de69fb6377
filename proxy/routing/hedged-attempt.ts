// A hedge: while the target of a request has sent nothing of its response, the next target gets the request too. The
// response that begins first is the caller's; the other attempt is cancelled at once, and charged as one that was
// abandoned. Each of the two may fail while the other one continues.
//
// Who can make this wrong on purpose?
// - A vendor that is slow: a route hedges one request in twenty, within the retry budget of its organization.
// - A vendor that sends a head and then nothing: only content counts as the beginning of a response.
// - A caller who leaves while there are two attempts: one is cancelled and charged, the other one ends as always.
import type { Timers } from '../../common/timers.ts';
import type { AttemptResult } from '../upstream/attempt-result.ts';
import type { ChainContext, ContendingAttempt, HedgeWinner, RunningAttempt, StartedAttempt } from './chain-parts.ts';
import { UntilContent } from './until-content.ts';

/** An attempt that was cancelled because the other one's response began first. */
export class HedgeLost extends Error {
  readonly code = 'hedge_lost';

  constructor() {
    super('another attempt responded first');
    this.name = 'HedgeLost';
  }
}

export interface Contender extends StartedAttempt, ContendingAttempt {
  readonly isHedge: boolean;
}

export interface HedgedAttemptParts {
  readonly first: Contender;
  /** Until the next target gets the request; undefined: it does not, and only the time of the first one is measured. */
  readonly delayMs: number | undefined;
  readonly timers: Timers;
  readonly context: Pick<ChainContext, 'aborted' | 'onAbort'>;
  readonly events: HedgeEvents;
}

/** What the chain does. */
export interface HedgeEvents {
  /** The first one is late: money for the second one, or why there is none to make. */
  prepare(): Promise<PreparedHedge | undefined>;
  /**
   * One of two has failed while the other one continues.
   * @returns false if the failure is final: nobody else would serve the request
   */
  failed(contender: Contender, error: unknown): boolean;
  /** One of two was cancelled, because the other one has responded or the request is over. */
  abandoned(contender: Contender, error: HedgeLost): void;
  /** The request waits for this one again, or from now on. */
  resume(contender: Contender): void;
  /** It has responded. */
  responded(contender: Contender): void;
  /** There were two. */
  ended(winner: HedgeWinner): void;
}

export interface PreparedHedge {
  start(): Contender;
  /** It is not needed any more. */
  drop(): void;
}

export class HedgedAttempt implements RunningAttempt {
  readonly #parts: HedgedAttemptParts;
  readonly #outcome = Promise.withResolvers<AttemptResult>();
  /** Those without a result. */
  readonly #open = new Set<Contender>();
  /** Streams that have begun, without content so far. */
  readonly #retained = new Map<Contender, UntilContent>();
  #isOver = false;
  #isHedged = false;
  /** No other attempt will follow: what has begun is passed on. */
  #isAlone = false;
  #cancelTimer: () => void = () => undefined;
  #current: Contender;

  constructor(parts: HedgedAttemptParts) {
    this.#parts = parts;
    this.#current = parts.first;
  }

  get current(): Contender {
    return this.#current;
  }

  run(): Promise<AttemptResult> {
    const { first, delayMs, timers, context } = this.#parts;
    context.onAbort(this);
    if (delayMs !== undefined) this.#cancelTimer = timers.after(delayMs, () => this.#late());
    this.#enter(first);
    return this.#outcome.promise;
  }

  /**
   * The request is aborted, or the time of the attempt that it waits for is over. After the end of this: of the one that
   * has responded.
   */
  abort(error: Error): void {
    if (!this.#isOver && this.#parts.context.aborted !== undefined) this.#abandonOthers(this.#current);
    this.#current.context.abort(error);
  }

  #enter(contender: Contender): void {
    this.#open.add(contender);
    contender.context.onSent = () => this.#sent(contender);
    started(contender).then(
      (result) => this.#began(contender, result),
      (error: unknown) => this.#failed(contender, error),
    );
  }

  /** The request waits for the one that was sent last. */
  #sent(contender: Contender): void {
    this.#current.context.isCurrent = false;
    this.#current = contender;
    contender.context.isCurrent = true;
  }

  #late(): void {
    this.#parts.events.prepare().then(
      (prepared) => this.#hedge(prepared),
      () => this.#passRetained(),
    );
  }

  #hedge(prepared: PreparedHedge | undefined): void {
    if (prepared === undefined) this.#passRetained();
    else if (this.#isOver || this.#parts.context.aborted !== undefined) prepared.drop();
    else {
      this.#isHedged = true;
      this.#enter(prepared.start());
    }
  }

  #began(contender: Contender, result: AttemptResult): void {
    const { received } = contender.context;
    if (result.kind === 'complete' || received === undefined || this.#isAlone) {
      this.#responded(contender, result);
      return;
    }
    const stream = new UntilContent(result, received);
    this.#retained.set(contender, stream);
    stream.begun().then(
      () => this.#responded(contender, stream),
      (error: unknown) => this.#failed(contender, error),
    );
  }

  #passRetained(): void {
    this.#isAlone = true;
    for (const stream of this.#retained.values()) stream.pass();
  }

  #responded(contender: Contender, result: AttemptResult): void {
    if (!this.#open.has(contender)) return;
    this.#abandonOthers(contender);
    this.#parts.events.responded(contender);
    this.#end(contender, contender.isHedge ? 'hedge' : 'first');
    this.#outcome.resolve(result);
  }

  #failed(contender: Contender, error: unknown): void {
    if (!this.#open.delete(contender)) return;
    const [other] = this.#open;
    if (other !== undefined && this.#parts.events.failed(contender, error)) {
      this.#resume(other);
      this.#passRetained();
      return;
    }
    this.#abandonOthers(contender);
    this.#end(contender, 'none');
    this.#outcome.reject(error);
  }

  #end(contender: Contender, winner: HedgeWinner): void {
    this.#cancelTimer();
    this.#isOver = true;
    this.#open.clear();
    this.#retained.clear();
    this.#resume(contender);
    if (this.#isHedged) this.#parts.events.ended(winner);
  }

  #abandonOthers(kept: Contender): void {
    this.#cancelTimer();
    const lost = new HedgeLost();
    for (const other of this.#open) {
      if (other === kept) continue;
      this.#open.delete(other);
      other.context.abort(lost);
      other.context.received?.giveUp('not_read');
      this.#parts.events.abandoned(other, lost);
    }
  }

  #resume(contender: Contender): void {
    if (this.#current === contender) return;
    this.#sent(contender);
    this.#parts.events.resume(contender);
  }
}

/** A request that cannot be built fails like one that was sent. */
async function started({ attempt }: Contender): Promise<AttemptResult> {
  return await attempt.run();
}
