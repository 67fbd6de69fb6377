// One proxy of the model: its real leases and its real usage queue on its own link, with memory that a kill destroys.
import type { Clock } from '../../common/clock.ts';
import type { Timers } from '../../common/timers.ts';
import type { BudgetReservation, Budgets } from '../../proxy/budgets/budgets.ts';
import { LeasedBudgets } from '../../proxy/budgets/leased-budgets.ts';
import { Adoption } from '../../proxy/journal/adoption.ts';
import { JournaledBudgets } from '../../proxy/journal/journaled-budgets.ts';
import { Journals } from '../../proxy/journal/journals.ts';
import type { Packing } from '../../proxy/usage/batch.ts';
import type { AcquireRequest, LedgerClient, ReturnRequest } from '../../proxy/usage/ledger-client.ts';
import { createUsageLog, type LiveUsageLog } from '../../proxy/usage/live-usage-log.ts';
import { Ordinals } from '../../proxy/usage/ordinals.ts';
import type { Random } from '../support/access/random.ts';
import type { MemoryPod } from '../support/ledger/journals.ts';
import { Link, type LinkMode } from '../support/ledger/link.ts';
import type { MemoryOverflow } from '../support/ledger/overflow.ts';
import { silentLog } from '../support/silent-log.ts';
import type { VirtualTime } from '../support/virtual-time.ts';
import { leaseKey } from './ledger.reference.ts';
import type { LeaseName, LedgerSide } from './ledger.side.ts';
import { type Claim, type Claims, Violation } from './ledger.verifier.ts';

export interface ModelProxyDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly side: LedgerSide;
  readonly overflow: MemoryOverflow;
  /** Runs calls that arrive at the control plane. */
  readonly execute: (work: () => Promise<void>) => void;
  readonly onViolation: (message: string) => void;
  readonly onEvent: (name: string) => void;
  /** The pod with its journals, if it keeps any. */
  readonly pod?: MemoryPod | undefined;
  /** A fault of the proxy that the checks must find. */
  readonly faulty?: ((client: LedgerClient) => LedgerClient) | undefined;
}

/** Packs without taking time. */
const packing: Packing = {
  pack: async (events) => new TextEncoder().encode(JSON.stringify(events)),
  unpack: async (packed) => JSON.parse(new TextDecoder().decode(packed)),
};

/** Small, so that full queues occur. */
const memoryBytesMax = 40_000;

export class ModelProxy {
  readonly name: string;
  readonly budgets: LeasedBudgets;
  readonly usageLog: LiveUsageLog;
  readonly #deps: ModelProxyDeps;
  readonly #link: Link;
  readonly #operations = new Map<string, { readonly seq: number; readonly text: string; isServed: boolean }>();
  /** Ids of budgets that the feed has reported to it and not yet removed. */
  readonly known = new Set<string>();
  state: 'alive' | 'stopping' | 'stopped' | 'killed' = 'alive';
  readonly sessions = new Set<string>();
  /** The budgets from which requests reserve. */
  readonly money: Budgets;
  readonly #folder: ReturnType<MemoryPod['connect']> | undefined;
  readonly #adoption: Adoption | undefined;
  /** Running requests with their reservations, by id. */
  readonly #running = new Map<string, { readonly amount: number; readonly slices: readonly LeaseName[] }>();

  get pod(): MemoryPod | undefined {
    return this.#deps.pod;
  }

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
      promise.catch((error: unknown) => deps.onViolation(`${task}: ${error instanceof Error ? error.stack : error}`));
    };
    const shared = { clock, timers, random: random.next, log: silentLog, background };
    const client = deps.faulty?.(this.#client()) ?? this.#client();
    const ordinals = new Ordinals();
    this.#folder = deps.pod?.connect();
    const journals =
      this.#folder &&
      new Journals({
        ...{
          folder: this.#folder,
          log: silentLog,
          timers,
          atEndOfTick: (task) => void timers.after(0, task),
        },
        nextOrdinal: (session) => ordinals.next(session),
        metrics: { journalFailed: () => onEvent('journal failed') },
        onRenew: (session) => this.budgets.renewSession(session),
      });
    this.usageLog = createUsageLog({
      ...{ ...shared, client, ordinals, journals, packing },
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
    this.budgets = new LeasedBudgets({
      ...{ ...shared, client, usage: this.usageLog },
      onSession: (session, state) => {
        if (state === 'open') journals?.begin(session);
        else journals?.end(session);
      },
      metrics: {
        acquired: (outcome) => onEvent(`acquisition ${outcome}`),
        returned: () => onEvent('returned'),
        waited: () => onEvent('waited'),
        escrowLost: () => onEvent('pending charge lost'),
      },
    });
    this.money = journals === undefined ? this.budgets : new JournaledBudgets(this.budgets, journals);
    if (this.#folder === undefined) return;
    this.#adoption = new Adoption({
      ...{ ...shared, client, folder: this.#folder, onRecorded: this.usageLog.keep },
      onClosed: (session) => this.budgets.adopted(session),
      metrics: {
        adopted: (settled, killed) => {
          onEvent('adopted');
          if (settled > 0) onEvent('adopted settled');
          if (killed > 0) onEvent('adopted killed');
        },
        lost: () => deps.onViolation(`${name} loses usage of a killed proxy`),
      },
    });
  }

  /** Notes the reservation of a request that started. */
  begun(id: string, { amount, leases }: Pick<BudgetReservation, 'amount' | 'leases'>, session: string): void {
    this.#running.set(id, { amount, slices: leases.map((lease) => ({ ...lease, session })) });
  }

  ended(id: string): void {
    this.#running.delete(id);
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
    this.#link.isDead = true;
    this.#folder?.kill();
    this.state = 'killed';
  }

  async stop(graceMs: number): Promise<void> {
    this.state = 'stopping';
    const until = this.#deps.time.monotonic() + graceMs;
    this.#adoption?.close();
    await Promise.all([this.usageLog.close(until), this.budgets.close(until)]);
    if (!this.isAlive) return;
    await this.budgets.endSession(until);
    if (!this.isAlive) return;
    this.#link.isDead = true;
    this.#folder?.kill();
    this.state = 'stopped';
  }

  /**
   * Returns the money that the proxy counts on in each lease: available, or reserved by requests. For a dead proxy, the
   * reservations of its requests.
   */
  reservations(isRecorded: (id: string) => boolean): Claims {
    if (!this.isAlive) return this.#lastReservations(isRecorded);
    const claims = new Map<string, Claim>();
    for (const { available, reservations, open, origin, shut } of this.budgets.leases()) {
      if (open < 0 || shut < 0 || reservations < 0)
        throw new Violation(`${this.name} has ${open} open, ${shut} shut and ${reservations} reserved`);
      claims.set(leaseKey(origin), { all: available + reservations, firm: open + reservations });
    }
    return claims;
  }

  #lastReservations(isRecorded: (id: string) => boolean): Claims {
    const claims = new Map<string, Claim>();
    for (const [id, { amount, slices }] of this.#running) {
      if (isRecorded(id)) continue;
      for (const lease of slices) {
        const reserved = amount + (claims.get(leaseKey(lease))?.all ?? 0);
        claims.set(leaseKey(lease), { all: reserved, firm: reserved });
      }
    }
    return claims;
  }

  get isIdle(): boolean {
    return this.budgets.leases().every(({ operation }) => operation === undefined) && this.usageLog.gauges.events === 0;
  }

  #client(): LedgerClient {
    const { side } = this.#deps;
    return {
      keepSession: (session) => {
        this.sessions.add(session);
        return this.#link.call(() => side.keepSession(session));
      },
      acquire: (request) => this.#operation(request, () => side.acquire(request)),
      release: (request) => this.#operation(request, () => side.release(request)),
      report: (events) => this.#link.call(() => side.report(events)),
      closeSession: (end) => this.#link.call(() => side.closeSession(end)),
    };
  }

  // Checks that a lease has one operation at a time, which is repeated unchanged.
  async #operation<ReadResponse>(
    request: AcquireRequest | ReturnRequest,
    work: () => Promise<ReadResponse>,
  ): Promise<ReadResponse> {
    const key = leaseKey(request);
    const text = JSON.stringify(request);
    const last = this.#operations.get(key) ?? { seq: 0, text: '', isServed: true };
    const isAgain = request.seq === last.seq && text === last.text && !last.isServed;
    const isNext = request.seq === last.seq + 1 && last.isServed;
    if (!isAgain && !isNext) this.#deps.onViolation(`${this.name} sends ${text} after ${last.text}`);
    const operation = { seq: request.seq, text, isServed: false };
    this.#operations.set(key, operation);
    if ('want' in request && request.want === 0) this.#deps.onEvent('opened');
    if ('amount' in request && request.amount === 0) this.#deps.onEvent('noted');
    const response = await this.#link.call(work);
    operation.isServed = true;
    return response;
  }
}
