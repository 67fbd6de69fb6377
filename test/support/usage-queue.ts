// In-memory ledger and overflow for the usage logs of proxies: the ledger counts each event once, and both have every
// failure that a network has. A proxy can be killed between any two steps.
import { randomUUID } from 'node:crypto';
import { createBackground } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import { createLogger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import { RedisUnavailableError } from '../../proxy/redis/connection.ts';
import { type LedgerClient, LedgerRefusedError, type UsageEvent } from '../../proxy/usage/ledger-client.ts';
import { createUsageLog, type LiveUsageLog, usageMemoryBytesMax } from '../../proxy/usage/live-usage-log.ts';
import type { Entry, Overflow } from '../../proxy/usage/usage-log.ts';
import { Random } from './access/random.ts';
import { VirtualTime } from './virtual-time.ts';

export function usageOf(fields: Partial<UsageEvent> = {}): UsageEvent {
  return {
    id: randomUUID(),
    at: 1_800_000_000_000,
    session: 'session-1',
    organizationId: 'organization-1',
    keyId: 'key-1',
    aiSystemId: undefined,
    personId: undefined,
    projectKeyId: undefined,
    projectAiSystemId: undefined,
    projectPersonId: undefined,
    requestId: 'request-1',
    provider: 'gpt-provider',
    modelAsked: 'gpt-provider/gpt-4o',
    modelAnswered: 'gpt-4o-2026-05-01',
    promptTokens: 100,
    completionTokens: 20,
    cacheReadTokens: 10,
    cacheWriteTokens: 5,
    cacheWrite1hTokens: 1,
    reasoningTokens: 7,
    cost: 1_500_000,
    unpriced: false,
    status: 200,
    errorSource: '',
    errorCode: '',
    latencyMs: 250,
    firstTokenMs: undefined,
    streamed: false,
    directKey: false,
    providerKeyId: undefined,
    attempts: 1,
    estimated: false,
    estimateReason: undefined,
    reportedCost: undefined,
    charges: [{ budgetId: 'budget-1', window: '2027-01-15', escrow: 1_500_000 }],
    ...fields,
  };
}

export const usagesOf = (count: number, fields: Partial<UsageEvent> = {}): readonly UsageEvent[] =>
  Array.from({ length: count }, () => usageOf(fields));

/** `deaf`: executes the call, and its response is lost; `mute`: does nothing and never responds. */
export type Condition = 'up' | 'down' | 'deaf' | 'mute';

const deadlineMs = 1_000;
const responseMs = 5;

/** The ledger of a control plane: each event once, by day and id. */
export class FakeWindows {
  condition: Condition = 'up';
  epoch = 'epoch-1';
  readonly recorded = new Map<string, UsageEvent>();
  /** Number of events in each report. */
  readonly reports: number[] = [];
  /** Ids of events that are refused for good. */
  readonly invalid = new Set<string>();
  /** Number of reports with usage that their proxy may not report. */
  denials = 0;
  underWay = 0;
  mostUnderWay = 0;
  readonly #time: Clock & Timers;

  constructor(time: Clock & Timers) {
    this.#time = time;
  }

  has(event: UsageEvent): boolean {
    return this.recorded.has(event.id);
  }

  /** @param organizationId the only one whose usage this proxy may report */
  client(organizationId?: string): Pick<LedgerClient, 'report'> {
    return {
      report: async (events) => {
        const { condition } = this;
        this.reports.push(events.length);
        this.underWay++;
        this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
        await pause(this.#time, condition === 'mute' || condition === 'deaf' ? deadlineMs : responseMs);
        this.underWay--;
        if (condition === 'down' || condition === 'mute') throw new Error('no replica has responded');
        if (events.some((event) => organizationId !== undefined && event.organizationId !== organizationId)) {
          this.denials++;
          throw new LedgerRefusedError('denied', 'not usage of its organization');
        }
        if (events.some(({ id }) => this.invalid.has(id))) throw new LedgerRefusedError('invalid', 'no event');
        for (const event of events) this.recorded.set(event.id, event);
        if (condition === 'deaf') throw new Error('the response was lost');
        return { recorded: events.length, now: this.#time.now(), epoch: this.epoch };
      },
    };
  }
}

interface StoredEntry extends Entry {
  readonly events: readonly UsageEvent[];
}

/** A Redis with few shards. */
export class FakeStore {
  condition: Condition = 'up';
  /** Largest number of entries in a shard. */
  entriesMax = Number.POSITIVE_INFINITY;
  /** Ids of entries that no key here can open. */
  readonly unreadable = new Set<string>();
  readonly streams: StoredEntry[][] = [[], [], [], []];
  readonly #locks = new Map<number, number>();
  readonly #time: Clock & Timers;
  #last = 0;

  constructor(time: Clock & Timers) {
    this.#time = time;
  }

  get entries(): readonly StoredEntry[] {
    return this.streams.flat();
  }

  get events(): readonly UsageEvent[] {
    return this.entries.flatMap((entry) => entry.events);
  }

  /** @param random choice of shards */
  overflow(random: Random = new Random(1)): Overflow {
    const { streams } = this;
    return {
      shards: streams.length,
      put: (events) => this.#put(events, random),
      isEmpty: () => this.#command(() => streams.every((stream) => stream.length === 0)),
      read: (shard, after) =>
        this.#command(() => {
          const stream = streams[shard] ?? [];
          const from = after === undefined ? 0 : stream.findIndex(({ id }) => Number(id) > Number(after));
          const found = from < 0 ? [] : stream.slice(from, from + 3);
          return found.map((entry) => (this.unreadable.has(entry.id) ? { ...entry, events: undefined } : entry));
        }),
      lock: (shard) =>
        this.#command(() => {
          if ((this.#locks.get(shard) ?? 0) > this.#time.monotonic()) return false;
          this.#locks.set(shard, this.#time.monotonic() + 10_000);
          return true;
        }),
      unlock: (shard) => this.#command(() => void this.#locks.delete(shard)),
      remove: (shard, entries) =>
        this.#command(() => {
          const ids = new Set(entries.map(({ id }) => id));
          streams[shard] = (streams[shard] ?? []).filter(({ id }) => !ids.has(id));
        }),
    };
  }

  async #put(events: readonly UsageEvent[], random: Random): Promise<readonly UsageEvent[]> {
    const byOrganization = Map.groupBy(events, (event) => event.organizationId);
    const left: UsageEvent[] = [];
    for (const [organizationId, some] of byOrganization) {
      const shard = random.below(this.streams.length);
      const isPut = this.#command(() => {
        const stream = this.streams[shard] ?? [];
        if (stream.length >= this.entriesMax) return false;
        stream.push(this.#entry(organizationId, some));
        return true;
      });
      if (!(await isPut.catch(() => false))) left.push(...some);
    }
    return left;
  }

  #entry(organizationId: string, events: readonly UsageEvent[]): StoredEntry {
    this.#last++;
    return { id: String(this.#last), size: 1, putAt: this.#time.now(), organizationId, events };
  }

  async #command<T>(act: () => T): Promise<T> {
    const { condition } = this;
    await pause(this.#time, condition === 'up' || condition === 'down' ? 1 : 50);
    if (condition === 'down' || condition === 'mute') throw new RedisUnavailableError('Redis is not available');
    const result = act();
    if (condition === 'deaf') throw new RedisUnavailableError('the response was lost');
    return result;
  }
}

function pause(time: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => {
    time.after(ms, resolve);
  });
}

export interface UsageProxy extends LiveUsageLog {
  readonly counts: Record<'reported' | 'overflowed' | 'drained' | 'lost' | 'skipped', number>;
  /** Lines of its log. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Background tasks that failed. */
  readonly failures: readonly string[];
  /** From now on it does nothing and receives nothing. */
  kill(): void;
}

export interface UsageProxyOptions {
  readonly time: Clock & Timers;
  readonly client: Pick<LedgerClient, 'report'>;
  readonly overflow: Overflow | undefined;
  readonly memoryBytesMax?: number;
  readonly random?: Random;
}

export function startUsageProxy(options: UsageProxyOptions): UsageProxy {
  const { client, memoryBytesMax = usageMemoryBytesMax, overflow, random = new Random(7), time } = options;
  let isDead = false;
  const counts = { reported: 0, overflowed: 0, drained: 0, lost: 0, skipped: 0 };
  const count = (what: keyof typeof counts) => (events: number) => {
    counts[what] += events;
  };
  const lines: Record<string, unknown>[] = [];
  const failures: string[] = [];
  const log = createLogger({
    name: 'test',
    level: 'info',
    stream: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  // Calls of a dead process are executed nevertheless; only their responses are lost.
  const received = <T>(response: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      response.then(
        (value) => isDead || resolve(value),
        (error: unknown) => isDead || reject(error),
      );
    });
  const usageLog = createUsageLog({
    client: { report: (events) => received(client.report(events)) },
    overflow: overflow && {
      shards: overflow.shards,
      put: (events) => received(overflow.put(events)),
      read: (...from) => received(overflow.read(...from)),
      isEmpty: () => received(overflow.isEmpty()),
      lock: (shard) => received(overflow.lock(shard)),
      unlock: (shard) => received(overflow.unlock(shard)),
      remove: (...what) => received(overflow.remove(...what)),
    },
    memoryBytesMax,
    clock: time,
    timers: { after: (ms, task) => time.after(ms, () => isDead || task()) },
    random: random.next,
    background: createBackground({ log, onFailure: (name) => void failures.push(name) }),
    log,
    metrics: {
      reported: count('reported'),
      overflowed: count('overflowed'),
      drained: count('drained'),
      lost: count('lost'),
      skipped: () => void counts.skipped++,
    },
  });
  return {
    ...usageLog,
    get hasRoom() {
      return usageLog.hasRoom;
    },
    ...{ counts, lines, failures },
    kill: () => {
      isDead = true;
    },
  };
}

export interface UsageScene {
  readonly time: VirtualTime;
  readonly ledger: FakeWindows;
  readonly store: FakeStore;
  /** Every started proxy. */
  readonly proxies: readonly UsageProxy[];
  readonly start: (options?: Partial<UsageProxyOptions>) => UsageProxy;
  /** Takes the control plane down, and waits until the proxy has noticed. */
  readonly goAway: (proxy: UsageProxy) => Promise<void>;
}

/** A control plane and a Redis with proxies, all with one clock. */
export function usageScene(): UsageScene {
  const time = new VirtualTime();
  const ledger = new FakeWindows(time);
  const store = new FakeStore(time);
  const proxies: UsageProxy[] = [];
  return {
    ...{ time, ledger, store, proxies },
    start: (options) => {
      const proxy = startUsageProxy({
        time,
        client: ledger.client(),
        overflow: store.overflow(),
        ...options,
      });
      proxies.push(proxy);
      return proxy;
    },
    goAway: async (proxy) => {
      ledger.condition = 'down';
      proxy.record(usageOf());
      await time.advance(1_000);
    },
  };
}
