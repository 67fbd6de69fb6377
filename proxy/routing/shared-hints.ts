// Hints of targets between proxies, over Redis and never on a request's way: what this proxy finds out is written soon
// after, and renewed while it lasts; what others wrote is read every two seconds for organizations that make requests.
// Without Redis, with a full one or with one that an attacker writes to, requests go where this proxy's own experience
// sends them.
//
// Limits: 64 hints of an organization and 256 of hosts, in Redis and in memory; 256 organizations are read at a time.
// Of one organization's hosts a proxy writes at most 8, so that none fills what all share.
import type { Background } from '../../common/background.ts';
import type { Clock } from '../../common/clock.ts';
import { type LRUCache, lruCache } from '../../common/lru-cache.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { Timers } from '../../common/timers.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { OrganizationRecord } from '../access/principal.ts';
import { RedisUnavailableError } from '../redis/connection.ts';
import type { FailureCause, HostCause, KeyCause } from './health-events.ts';
import { type HintScope, hintMsMax, LearnedHints, sizeOf } from './learned-hints.ts';
import type { HintResult } from './results.ts';
import { type HintSeal, hintKeysOf, openHint, sealHint } from './sealed-hints.ts';
import { hostName, keyName, type TargetIdentity } from './target-identity.ts';

export interface HintCommands {
  /** The hints that end last, at most as many as the scope may have. @throws RedisUnavailableError */
  read(scope: HintScope): Promise<readonly Buffer[]>;
  /** @throws RedisUnavailableError */
  write(scope: HintScope, hints: readonly WrittenHint[], now: number): Promise<void>;
}

export interface WrittenHint {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly sealed: Buffer;
}

export interface SharedHintsDeps {
  readonly commands: HintCommands;
  /** Seals hints of hosts; undefined: hosts are not shared. */
  readonly cacheKeys: SealKeys | undefined;
  /** The identity of these proxies; undefined: it is bound to one organization, or not known yet. */
  readonly platformIdentity: () => string | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  readonly metrics: { hints(result: HintResult, count: number): void };
}

export type UsedOrganization = Pick<OrganizationRecord, 'id' | 'recordKeys'>;

interface Used {
  organization: UsedOrganization;
  usedAt: number;
  /** Only requests with several targets profit from what others know. */
  hasChoice: boolean;
  readAt: number;
}

/** What is out here. Times are monotonic. */
interface Out {
  readonly scope: HintScope;
  readonly name: string;
  /** Whose experience it is; of a host that is out for all, the empty text. */
  readonly organization: string;
  readonly cause: FailureCause;
  /** Of an organization's provider keys; it may have no requests when the hint is renewed. */
  readonly keys: SealKeys | undefined;
  endsAt: number;
  sentUntil: number;
}

const organizationsMax = 256;
const outMax = 2_000;
const hostsOfOrganizationMax = 8;
/** An organization without requests is not read any more. */
const idleMs = 60_000;
const readEveryMs = 2_000;
/** What is found out at the same moment is written at once. */
const writeSoonMs = 50;
/** A hint that ends sooner is renewed. */
const renewBeforeMs = 15_000;
/** Not worth a call. */
const shortestMs = 500;

export class SharedHints {
  readonly #deps: SharedHintsDeps;
  readonly learned = new LearnedHints();
  readonly #proxy = uuidv7();
  readonly #used: LRUCache<string, Used> = lruCache(organizationsMax);
  readonly #out: LRUCache<string, Out> = lruCache(outMax);
  #hostsReadAt = Number.NEGATIVE_INFINITY;
  #cancelRound: (() => void) | undefined;
  #cancelWrite: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: SharedHintsDeps) {
    this.#deps = deps;
  }

  /** Call for each request: it is what starts and continues the reading in the background. */
  use(organization: UsedOrganization, hasChoice: boolean): void {
    const now = this.#deps.clock.monotonic();
    const known = this.#used.get(organization.id);
    if (known === undefined) {
      this.#used.set(organization.id, { organization, usedAt: now, hasChoice, readAt: Number.NEGATIVE_INFINITY });
      if (hasChoice) this.#roundIn(0);
      return;
    }
    known.organization = organization;
    known.usedAt = now;
    known.hasChoice ||= hasChoice;
    if (this.#cancelRound === undefined && known.hasChoice) this.#roundIn(0);
  }

  /** @param organization undefined: for all organizations */
  hostOut(identity: TargetIdentity, cause: HostCause, out: { organization: string | undefined; forMs: number }): void {
    const name = hostName(identity, out.organization);
    this.#noteOut('hosts', name, { organization: out.organization ?? '', cause, forMs: out.forMs });
  }

  /** @param model undefined: all models of the key */
  keyOut(
    identity: TargetIdentity,
    cause: KeyCause | 'rate',
    { model, forMs }: { readonly model: string | undefined; readonly forMs: number },
  ): void {
    const { organization } = identity;
    this.#noteOut({ organization }, keyName(identity, model), { organization, cause, forMs });
  }

  /** The target works from here: others need no hint of it, and theirs count no more. */
  succeeded(identity: TargetIdentity, now: number): void {
    this.learned.succeeded(identity, now);
    if (this.#out.size === 0) return;
    for (const name of [keyName(identity, undefined), keyName(identity, identity.model)]) this.#out.delete(name);
    for (const organization of [identity.organization, undefined]) this.#out.delete(hostName(identity, organization));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRound?.();
    this.#cancelWrite?.();
  }

  #noteOut(
    scope: HintScope,
    name: string,
    { organization, cause, forMs }: { organization: string; cause: FailureCause; forMs: number },
  ): void {
    if (this.#isClosed) return;
    const endsAt = this.#deps.clock.monotonic() + forMs;
    const known = this.#out.get(name);
    if (known !== undefined) known.endsAt = endsAt;
    else if (this.#hasRoomFor(scope, organization)) {
      const keys = scope === 'hosts' ? undefined : this.#keysOf(organization);
      this.#out.set(name, { scope, name, organization, cause, keys, endsAt, sentUntil: 0 });
    }
    this.#cancelWrite ??= this.#deps.timers.after(writeSoonMs, () => this.#deps.background('hints', this.#write()));
    this.#roundIn(readEveryMs);
  }

  #hasRoomFor(scope: HintScope, organization: string): boolean {
    const max = scope === 'hosts' && organization !== '' ? hostsOfOrganizationMax : sizeOf(scope);
    let count = 0;
    for (const out of this.#out.values()) {
      if (out.organization === organization && (out.scope === 'hosts') === (scope === 'hosts')) count++;
    }
    return count < max;
  }

  #roundIn(delayMs: number): void {
    if (this.#isClosed || this.#cancelRound !== undefined) return;
    this.#cancelRound = this.#deps.timers.after(delayMs, () => this.#deps.background('hints', this.#round()));
  }

  async #round(): Promise<void> {
    const now = this.#deps.clock.monotonic();
    try {
      this.learned.tidy(now);
      await this.#read(now);
      await this.#write();
    } finally {
      // A round that fails is reported, and must not be the last one.
      this.#cancelRound = undefined;
      if (this.#used.size > 0 || this.#out.size > 0) this.#roundIn(readEveryMs);
    }
  }

  /** All at once: they are on one connection, each with its own deadline. */
  async #read(now: number): Promise<void> {
    const reads: Promise<void>[] = [];
    for (const [id, used] of this.#used.entries()) {
      if (now - used.usedAt > idleMs) {
        this.#used.delete(id);
        this.learned.forget(id);
      } else if (used.hasChoice && now - used.readAt >= readEveryMs) {
        used.readAt = now;
        reads.push(this.#readScope({ organization: id }));
      }
    }
    if (reads.length > 0 && now - this.#hostsReadAt >= readEveryMs) {
      this.#hostsReadAt = now;
      reads.push(this.#readScope('hosts'));
    }
    await Promise.all(reads);
  }

  async #readScope(scope: HintScope): Promise<void> {
    const seal = this.#sealOf(scope, scope === 'hosts' ? undefined : this.#keysOf(scope.organization));
    if (seal === undefined) return;
    const { commands, clock, metrics } = this.#deps;
    const values = await this.#orFailed(commands.read(scope));
    const now = clock.monotonic();
    const wall = clock.now();
    for (const value of values?.slice(0, sizeOf(scope)) ?? []) {
      const hint = openHint(scope, seal, value);
      if (hint === undefined) metrics.hints('ignored', 1);
      else if (hint.proxy !== this.#proxy) {
        const isNew = this.learned.learn(scope, hint.target, { until: now + hint.until - wall, now });
        if (isNew) metrics.hints('received', 1);
      }
    }
  }

  async #write(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const now = this.#deps.clock.monotonic();
    const due: Out[] = [];
    for (const [id, out] of this.#out.entries()) {
      if (out.endsAt <= now) this.#out.delete(id);
      else if (this.#isDue(out, now)) due.push(out);
    }
    const scopes = Map.groupBy(due, ({ scope }) => (scope === 'hosts' ? '' : scope.organization));
    await Promise.all([...scopes.values()].map((outs) => this.#writeScope(outs, now)));
  }

  /** Neither this proxy nor another one has written it for long enough. */
  #isDue({ scope, name, endsAt, sentUntil }: Out, now: number): boolean {
    const until = Math.min(endsAt, now + hintMsMax);
    const known = Math.max(sentUntil, this.learned.knownUntil(scope, name), now);
    return until - known >= shortestMs && (until === endsAt || known - now < renewBeforeMs);
  }

  async #writeScope(outs: readonly Out[], now: number): Promise<void> {
    const [{ scope, keys } = {}] = outs;
    const seal = scope && this.#sealOf(scope, keys);
    if (scope === undefined || seal === undefined) return;
    const { commands, clock, metrics } = this.#deps;
    const wall = clock.now();
    const hints = outs.slice(0, sizeOf(scope)).map((out) => {
      const left = Math.min(out.endsAt - now, hintMsMax);
      out.sentUntil = now + left;
      const until = Math.round(wall + left);
      const hint = { target: out.name, cause: out.cause, until, proxy: this.#proxy };
      return { until, sealed: sealHint(scope, seal, hint) };
    });
    const written = await this.#orFailed(commands.write(scope, hints, wall).then(() => true));
    if (written) metrics.hints('sent', hints.length);
    // The next round writes it again.
    else for (const out of outs) out.sentUntil = 0;
  }

  #keysOf(organization: string): SealKeys | undefined {
    const recordKeys = this.#used.peek(organization)?.organization.recordKeys;
    return recordKeys === undefined || recordKeys.length === 0 ? undefined : hintKeysOf(recordKeys);
  }

  /** @param keys of an organization. Undefined: what is of this scope is neither read nor written. */
  #sealOf(scope: HintScope, keys: SealKeys | undefined): HintSeal | undefined {
    if (scope !== 'hosts') return keys && { keys };
    const { cacheKeys } = this.#deps;
    const identity = this.#deps.platformIdentity();
    return cacheKeys === undefined || identity === undefined ? undefined : { keys: cacheKeys, identity };
  }

  async #orFailed<T>(call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof RedisUnavailableError)) throw error;
      this.#deps.metrics.hints('failed', 1);
      return undefined;
    }
  }
}
