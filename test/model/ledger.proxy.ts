// One proxy of the model: its real slices and its real usage queue, on a link of its own, with memory that a kill takes away.
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import type { DrawRequest, LedgerClient, ReturnRequest } from '../../proxy/ledger/budgets/ledger-client.ts';
import { SlicedBudgets } from '../../proxy/ledger/budgets/sliced-budgets.ts';
import { createUsageLog, type LiveUsageLog } from '../../proxy/ledger/usage/live-usage-log.ts';
import type { Random } from '../support/access/random.ts';
import { Link, type LinkMode } from '../support/ledger/link.ts';
import type { MemoryOverflow } from '../support/ledger/overflow.ts';
import { silentLog } from '../support/silent-log.ts';
import type { VirtualTime } from '../support/virtual-time.ts';
import { type Claim, type Claims, Violation } from './ledger.judge.ts';
import { leaseKey } from './ledger.reference.ts';
import type { LedgerSide } from './ledger.side.ts';

export interface ModelProxyDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly side: LedgerSide;
  readonly overflow: MemoryOverflow;
  /** Runs what arrives at the control plane. */
  readonly execute: (work: () => Promise<void>) => void;
  readonly onViolation: (message: string) => void;
  readonly onEvent: (name: string) => void;
  /** A fault of the proxy that a judge must find. */
  readonly faulty?: ((client: LedgerClient) => LedgerClient) | undefined;
}

/** A little: so that a queue that is full occurs. */
const memoryBytesMax = 40_000;

export class ModelProxy {
  readonly name: string;
  readonly budgets: SlicedBudgets;
  readonly usageLog: LiveUsageLog;
  readonly #deps: ModelProxyDeps;
  readonly #link: Link;
  readonly #operations = new Map<
    string,
    { readonly seq: number; readonly text: string; isAnswered: boolean }
  >();
  /** Ids of budgets that it has heard of, and not of their end. */
  readonly known = new Set<string>();
  state: 'alive' | 'stopping' | 'stopped' | 'killed' = 'alive';
  readonly sessions = new Set<string>();
  /** What a killed one held, by leaseKey. */
  #lastHolds: Claims = new Map();

  constructor(name: string, deps: ModelProxyDeps) {
    this.name = name;
    this.#deps = deps;
    const { time, random, onEvent } = deps;
    this.#link = new Link(time, random, deps.execute);
    const skew = random.between(-120_000, 120_000);
    const clock: Clock = { now: () => Math.floor(time.now() + skew), monotonic: () => time.monotonic() };
    const timers: Timers = {
      after: (delayMs, task) =>
        time.after(delayMs, () => {
          if (this.state !== 'killed') task();
        }),
    };
    const background = (task: string, promise: Promise<unknown>) => {
      promise.catch((error: unknown) =>
        deps.onViolation(`${task}: ${error instanceof Error ? error.stack : error}`),
      );
    };
    const shared = { clock, timers, random: random.next, log: silentLog, background };
    const client = deps.faulty?.(this.#client()) ?? this.#client();
    this.budgets = new SlicedBudgets({
      ...shared,
      client,
      metrics: {
        drawn: (outcome) => onEvent(`drawn ${outcome}`),
        returned: () => onEvent('returned'),
        waited: () => onEvent('waited'),
      },
    });
    this.usageLog = createUsageLog({
      ...shared,
      client,
      overflow: deps.overflow.connect(),
      memoryBytesMax,
      metrics: {
        reported: () => onEvent('reported'),
        overflowed: () => onEvent('overflowed'),
        drained: () => onEvent('drained'),
        lost: () => onEvent('lost'),
        skipped: () => onEvent('skipped'),
      },
    });
  }

  get isAlive(): boolean {
    return this.state === 'alive' || this.state === 'stopping';
  }

  get link(): LinkMode {
    return this.#link.mode;
  }

  set link(mode: LinkMode) {
    this.#link.mode = mode;
  }

  /** kill -9 */
  kill(): void {
    this.#lastHolds = this.holds();
    this.#link.isDead = true;
    this.state = 'killed';
  }

  async stop(graceMs: number): Promise<void> {
    this.state = 'stopping';
    const until = this.#deps.time.monotonic() + graceMs;
    await Promise.all([this.usageLog.close(until), this.budgets.close(until)]);
    this.#lastHolds = this.holds();
    this.#link.isDead = true;
    this.state = 'stopped';
  }

  /** What it believes to have of each lease: free, or held by requests. Of a dead one, what nobody will ever settle. */
  holds(): Claims {
    if (!this.isAlive) return this.#lastHolds;
    const claims = new Map<string, Claim>();
    for (const { available, holds, open, origin, shut } of this.budgets.slices()) {
      if (open < 0 || shut < 0 || holds < 0)
        throw new Violation(`${this.name} has ${open} open, ${shut} shut and holds ${holds}`);
      claims.set(leaseKey(origin), { all: available + holds, firm: open + holds });
    }
    return claims;
  }

  get isIdle(): boolean {
    return (
      this.budgets.slices().every(({ operation }) => operation === undefined) &&
      this.usageLog.gauges.events === 0
    );
  }

  #client(): LedgerClient {
    const { side } = this.#deps;
    return {
      keepSession: (session) => {
        this.sessions.add(session);
        return this.#link.call(() => side.keepSession(session));
      },
      draw: (request) => this.#operation(request, () => side.draw(request)),
      giveBack: (request) => this.#operation(request, () => side.giveBack(request)),
      report: (events) => this.#link.call(() => side.report(events)),
      closeSession: (end) => this.#link.call(() => side.closeSession(end)),
    };
  }

  // Of a lease one operation at a time, sent again unchanged.
  async #operation<Answer>(
    request: DrawRequest | ReturnRequest,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    const key = leaseKey(request);
    const text = JSON.stringify(request);
    const last = this.#operations.get(key) ?? { seq: 0, text: '', isAnswered: true };
    const isAgain = request.seq === last.seq && text === last.text && !last.isAnswered;
    const isNext = request.seq === last.seq + 1 && last.isAnswered;
    if (!isAgain && !isNext) this.#deps.onViolation(`${this.name} sends ${text} after ${last.text}`);
    const operation = { seq: request.seq, text, isAnswered: false };
    this.#operations.set(key, operation);
    if ('want' in request && request.want === 0) this.#deps.onEvent('opened');
    if ('amount' in request && request.amount === 0) this.#deps.onEvent('noted');
    const answer = await this.#link.call(work);
    operation.isAnswered = true;
    return answer;
  }
}
