// The world of a schedule of the ledger: proxies with their real leases and queues, a control plane, a database's clock
// that moves, links that fail, operators who change budgets. Every operation is checked before anything else happens.
import { randomUUID } from 'node:crypto';
import type { UsageEvent } from '../../proxy/usage/ledger-client.ts';
import { Random } from '../support/access/random.ts';
import { MemoryPod } from '../support/ledger/journals.ts';
import { MemoryOverflow, type OverflowFaults } from '../support/ledger/overflow.ts';
import { settle, VirtualTime } from '../support/virtual-time.ts';
import { ModelProxy, type ModelProxyDeps } from './ledger.proxy.ts';
import { appliesTo, type BudgetTerms, leaseKey } from './ledger.reference.ts';
import type { Executed, LedgerRead, LedgerSide, SideDeps, StoreStep, Subjects } from './ledger.side.ts';
import { type Claim, type Claims, LedgerVerifier, Violation } from './ledger.verifier.ts';

export interface WorldOptions {
  readonly seed: number;
  /** Opens the control plane. */
  readonly openSide: (deps: SideDeps) => Promise<LedgerSide>;
  /** Operations that arrive at about the same time are executed together. */
  readonly concurrent: boolean;
  readonly compares: boolean;
  /** All budgets are of the organization, one for each key. */
  readonly eachKey?: true;
  /** A fault of proxies that the checks must find. */
  readonly faulty?: ModelProxyDeps['faulty'];
  /** Changes the events that a proxy reports: another fault. */
  readonly misreports?: ((event: UsageEvent, now: number) => UsageEvent) | undefined;
}

/** A caller with its key and subjects. */
export interface ModelCaller {
  readonly keyId: string;
  readonly aiSystemId: string | undefined;
  readonly personId: string | undefined;
  /** Sent in addition. */
  readonly projectKeyId: string | undefined;
}

export const models = ['gpt-provider/gpt-5', 'gpt-provider/gpt-5-mini', 'assistant-provider/claude'] as const;

/** Ends of windows: of a day, a week, a month, a year. */
const midnights = ['2026-11-21', '2026-11-30', '2026-12-01', '2027-01-01'] as const;
const traceMax = 300;
const uuidForm = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
const concurrentMs = 40;
const expireEveryMs = 15_000;
/** Changes in tables that a restore of the ledger does not undo in this model. */
const changing: ReadonlySet<Executed['kind']> = new Set(['create', 'resize', 'delete', 'release', 'reset']);

export class World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly verifier: LedgerVerifier;
  readonly subjects: Subjects;
  readonly callers: readonly ModelCaller[];
  readonly overflow: MemoryOverflow;
  overflowMode: ReturnType<OverflowFaults['mode']> = 'well';
  /** All proxies, including dead ones. */
  readonly proxies: ModelProxy[] = [];
  readonly report = new Map<string, number>();
  readonly trace: string[] = [];
  /** Whether links, feed and reclaims work well. */
  isCalm = false;
  /** The database's clock minus the proxies' time. */
  clockOffset = 0;
  read: LedgerRead = { ledger: new Map(), leases: new Map() };
  readonly #options: WorldOptions;
  readonly #pending = new Set<Promise<void>>();
  readonly #executed: (StoreStep & { readonly executed: Executed })[] = [];
  readonly #names = new Map<string, string>();
  readonly #arrived: (() => Promise<void>)[] = [];
  /** Work to do when no operation is in progress at the control plane. */
  readonly #atRest: (() => Promise<void>)[] = [];
  /** The number of changes of budgets and of releases by operators. */
  #changes = 0;
  /** The epoch of the database after its last restore. */
  #epoch = '';
  #violation: Violation | undefined;
  #side: LedgerSide | undefined;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.random = new Random(options.seed ^ 0x5bd1e995);
    this.verifier = new LedgerVerifier(options, (exception) => this.count(exception));
    this.time = new VirtualTime(() => this.#instant());
    const midnight = Date.parse(this.random.pick(midnights));
    this.time.wallOffset = Math.floor(midnight - this.random.between(1_000, 180_000)) - this.time.monotonic();
    this.overflow = new MemoryOverflow({ mode: () => this.overflowMode, now: () => this.time.now() });
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
    this.subjects = { organizationId: randomUUID(), aiSystemIds: ids(1), personIds: ids(1), keyIds: ids(4) };
    const [aiSystemId, personId] = [this.subjects.aiSystemIds[0], this.subjects.personIds[0]];
    this.callers = this.subjects.keyIds.map((keyId, index, keyIds) => ({
      keyId,
      projectKeyId: index === 2 ? keyIds[3] : undefined,
      aiSystemId: index === 1 || index === 2 ? aiSystemId : undefined,
      personId: index === 3 ? personId : undefined,
    }));
  }

  get eachKey(): true | undefined {
    return this.#options.eachKey;
  }

  get side(): LedgerSide {
    if (this.#side === undefined) throw new Error('the world is not open yet');
    return this.#side;
  }

  async open(): Promise<void> {
    const { subjects } = this;
    this.#side = await this.#options.openSide({
      clock: { now: () => this.now(), monotonic: () => this.time.monotonic() },
      subjects,
      onExecuted: (executed, step) => void this.#executed.push({ executed, ...step }),
      onReclaim: (budgetId, window) => this.#reclaim(budgetId, window),
    });
    this.#expireLater();
  }

  /** The time by the database's clock, in whole milliseconds. */
  now(): number {
    return Math.floor(this.time.now() + this.clockOffset);
  }

  get alive(): readonly ModelProxy[] {
    return this.proxies.filter(({ state }) => state === 'alive');
  }

  /** Budgets that are not deleted. */
  get budgets(): readonly BudgetTerms[] {
    return [...this.verifier.reference.budgets.values()].filter(({ isDeleted }) => !isDeleted);
  }

  /** @param pod the pod of a killed proxy; default: a new one, with a folder for journals or without */
  start(pod: MemoryPod | undefined = this.#newPod()): ModelProxy {
    const proxy = new ModelProxy(`p${this.proxies.length + 1}`, {
      ...{ ...this, pod },
      side: this.side,
      execute: (work) => this.execute(work),
      onViolation: (message) => this.fail(message),
      onEvent: (name) => this.count(name),
      faulty: this.#options.faulty,
    });
    for (const { id } of this.budgets) proxy.known.add(id);
    this.proxies.push(proxy);
    return proxy;
  }

  #newPod(): MemoryPod | undefined {
    if (this.random.chance(0.3)) return undefined;
    return new MemoryPod(() => !this.isCalm && this.random.chance(0.001));
  }

  /** Passes a call to the control plane. */
  execute(work: () => Promise<void>): void {
    this.#arrived.push(work);
    if (!this.#options.concurrent) this.#executeArrived();
    else if (this.#arrived.length === 1)
      this.time.after(this.random.between(0, concurrentMs), () => this.#executeArrived());
  }

  /**
   * Makes the database lose everything that it commits in this time from now on, unless budgets are changed meanwhile.
   */
  loseLast(ms: number): void {
    this.#atRest.push(async () => {
      const [snapshot, verdict] = [await this.side.snapshot(), this.verifier.snapshot()];
      const changes = this.#changes;
      this.time.after(ms, () => {
        this.#atRest.push(async () => {
          if (changes !== this.#changes) return;
          const epoch = await this.side.restore(snapshot);
          this.verifier.restore(verdict);
          this.read = await this.side.read();
          this.count('restored');
          this.log(`restored ${epoch}`);
          this.#reportRestored(epoch);
        });
      });
    });
  }

  /** Reports the restore to proxies on the feed, to each at its own time. */
  #reportRestored(epoch: string): void {
    this.#epoch = epoch;
    for (const proxy of this.alive) {
      const late = !this.isCalm && proxy.link !== 'well';
      this.time.after(this.random.between(1, late ? 20_000 : 1_500), () => {
        if (proxy.isAlive && this.#epoch === epoch) proxy.budgets.epochChanged('restored', epoch);
      });
    }
  }

  /** Returns the applicable budgets that a proxy knows now. */
  budgetsFor(proxy: ModelProxy, caller: ModelCaller, model: string): readonly BudgetTerms[] {
    const { aiSystemId, keyId, personId, projectKeyId } = caller;
    const subjects = [this.subjects.organizationId, keyId, aiSystemId, personId, projectKeyId];
    return [...this.verifier.reference.budgets.values()].filter(
      (budget) => proxy.known.has(budget.id) && subjects.includes(budget.subjectId) && appliesTo(budget.model, model),
    );
  }

  /** Ends a request and sends its usage on its way. */
  record(proxy: ModelProxy, event: UsageEvent, reservation: number): void {
    this.verifier.settle({ event, reservation, proxy });
    proxy.usageLog.record(this.#options.misreports?.(event, this.now()) ?? event);
  }

  count(name: string): void {
    this.report.set(name, (this.report.get(name) ?? 0) + 1);
  }

  /** Adds a line to the trace of a failure. */
  log(what: string): void {
    const named = what.replace(uuidForm, (id) => {
      const name = this.#names.get(id) ?? `#${this.#names.size + 1}`;
      this.#names.set(id, name);
      return name;
    });
    this.trace.push(`${((this.time.monotonic() - 1_000_000) / 1_000).toFixed(3)} ${named}`);
    if (this.trace.length > traceMax) this.trace.shift();
  }

  fail(message: string): void {
    this.#violation ??= new Violation(message);
  }

  /** Advances the time. @throws Violation */
  async pass(ms: number): Promise<void> {
    await this.time.advance(ms);
    if (this.#violation !== undefined) throw this.#violation;
  }

  claims(): Claims {
    const claims = new Map<string, Claim>();
    for (const proxy of this.proxies)
      for (const [key, { all, firm }] of proxy.reservations((id) => this.verifier.isRecorded(id))) {
        const other = claims.get(key);
        claims.set(key, { all: all + (other?.all ?? 0), firm: firm + (other?.firm ?? 0) });
      }
    return claims;
  }

  #executeArrived(): void {
    for (const work of this.#arrived.splice(0)) {
      const done = work().catch((error: unknown) =>
        this.fail(`an operation fails: ${error instanceof Error ? error.stack : error}`),
      );
      const tracked = done.then(() => void this.#pending.delete(tracked));
      this.#pending.add(tracked);
    }
  }

  /** Waits for everything that takes no time, and checks it. */
  async #instant(): Promise<void> {
    await settle();
    while (this.#pending.size > 0) {
      await Promise.all(this.#pending);
      await settle();
    }
    if (this.#violation !== undefined) return;
    try {
      await this.#verifyExecuted();
      for (const work of this.#atRest.splice(0)) await work();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.fail(error.message);
    }
  }

  async #verifyExecuted(): Promise<void> {
    if (this.#executed.length === 0) {
      this.verifier.checkClaims(this.read, this.claims());
      return;
    }
    const inStep = this.#executed.splice(0).toSorted((a, b) => a.step - b.step);
    let isTouched = false;
    for (const { executed, ...step } of inStep) {
      if (!this.#isNews(executed)) continue;
      isTouched ||= executed.kind !== 'keep';
      if (changing.has(executed.kind)) this.#changes += 1;
      this.log(described(executed));
      this.verifier.apply(executed, step);
      this.#spread(executed);
    }
    if (isTouched) this.read = await this.side.read();
    this.verifier.check(this.read, this.claims());
  }

  /** Whether the operation changes anything; a sweep reports all that has expired so far. */
  #isNews(executed: Executed): boolean {
    if (executed.kind !== 'expire') return true;
    const { leases, sessions } = this.verifier.reference;
    return (
      executed.closed.some((id) => sessions.get(id)?.open !== false) ||
      executed.expired.some((lease) => leases.get(leaseKey(lease))?.state !== 'expired')
    );
  }

  /** Reports the change to proxies, to each at its own time. */
  #spread(executed: Executed): void {
    if (executed.kind !== 'create' && executed.kind !== 'delete') return;
    for (const proxy of this.alive) {
      const late = !this.isCalm && (proxy.link !== 'well' || this.random.chance(0.3));
      this.time.after(this.random.between(1, late ? 20_000 : 100), () => {
        const id = executed.kind === 'create' ? executed.terms.id : executed.budgetId;
        // A proxy receives the state at the time of delivery.
        if (this.budgets.some((budget) => budget.id === id)) proxy.known.add(id);
        else proxy.known.delete(id);
      });
    }
  }

  #reclaim(budgetId: string, window: string): void {
    for (const proxy of this.alive) {
      if (!this.isCalm && (proxy.link !== 'well' || this.random.chance(0.2))) continue;
      this.time.after(this.random.between(1, 100), () => {
        if (proxy.isAlive) proxy.budgets.reclaim(budgetId, window);
      });
    }
  }

  #expireLater(): void {
    this.time.after(expireEveryMs, () => {
      this.execute(() => this.side.expire(Number.POSITIVE_INFINITY));
      this.#expireLater();
    });
  }
}

function described(executed: Executed): string {
  if (executed.kind !== 'report') return JSON.stringify(executed).replaceAll('"', '');
  const events = executed.events.map(
    ({ at, charges, cost, id, modelAsked, session }) =>
      `${id} at ${at} in ${session} of ${modelAsked} cost ${cost} ${JSON.stringify(charges)}`,
  );
  return `report, new ${executed.recorded}: ${events.join('; ').replaceAll('"', '')}`;
}
