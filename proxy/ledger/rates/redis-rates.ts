// Rates of all proxies together, counted in Redis: one script and one round trip for a request, one more that nobody waits for
// when it is over. A script that runs after its request has stopped waiting, or a second time, does nothing.
import { randomBytes } from 'node:crypto';
import type { Background } from '../../../common/background.ts';
import type { Clock } from '../../../common/clock.ts';
import type { Timers } from '../../../common/timers.ts';
import { type RedisConnection, RedisUnavailableError } from '../../redis/connection.ts';
import { createScript, runScript, type Script, type ScriptCall } from '../../redis/script.ts';
import { nameInShard, shardCount, shardOf } from '../../redis/shards.ts';
import { Leases } from './leases.ts';
import type { RateAnswer, RateHold, RateLimit, RateQuestion, Rates, Standing } from './rates.ts';
import type { RateScripts } from './scripts.ts';
import { ServerClock } from './server-clock.ts';

export interface RedisRatesDeps {
  readonly connection: RedisConnection;
  readonly scripts: RateScripts;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly background: Background;
  /** How long a request waits: as long as the connection does. */
  readonly deadlineMs: number;
}

const leaseMs = 30_000;
const renewMs = 10_000;
/** Nobody waits for it. */
const settleWindowMs = 1_000;
const freeAgainMs = 1_000;

const late = -1;
type Reply = readonly number[];

export class RedisRates implements Rates {
  readonly #deps: RedisRatesDeps;
  readonly #take: Script;
  readonly #settle: Script;
  readonly #renew: Script;
  readonly #leases = new Leases();
  #cancelRenewal: (() => void) | undefined;
  #closed = false;
  /** Redis's, by shard: in a Cluster each node has a clock of its own. */
  readonly #clocks = Array.from({ length: shardCount }, () => new ServerClock());
  /** Not the request's id, which its caller may choose, and use twice. */
  readonly #proxy = randomBytes(9).toString('base64url');
  #count = 0;

  constructor(deps: RedisRatesDeps) {
    this.#deps = deps;
    this.#take = createScript(deps.scripts.take);
    this.#settle = createScript(deps.scripts.settle);
    this.#renew = createScript(deps.scripts.renew);
  }

  /** @throws RedisUnavailableError within the deadline */
  async take({ organizationId, limits, tokens }: RateQuestion): Promise<RateAnswer> {
    this.#count++;
    const name = `${this.#proxy}${this.#count.toString(36)}`;
    const shard = shardOf(organizationId);
    const keys = [
      nameInShard('rate:1', shard, `taken:${name}`),
      ...limits.map((limit) => keyOf(shard, limit)),
    ];
    const args = [tokens, name, leaseMs, ...limits.flatMap(kindAndMax)];
    const taken = { shard, name, limits, tokens };
    let sent = false;
    const onSend = () => {
      sent = true;
    };
    const call = { keys, args, onSend };
    const reply = await this.#run(shard, this.#take, call, this.#deps.deadlineMs).catch((error: unknown) => {
      // It may have been taken all the same.
      if (sent) this.#freeLater(taken);
      throw error;
    });
    const [state, , ...figures] = reply;
    if (state === late) throw new RedisUnavailableError('Redis answered too late');
    const hold = state === 1 ? this.#hold(taken) : undefined;
    return { standings: limits.map((_, index) => standing(figures, index * 3)), hold };
  }

  close(): void {
    this.#closed = true;
    this.#cancelRenewal?.();
  }

  #hold(taken: Taken): RateHold {
    const { shard, name, limits, tokens } = taken;
    const leased = limits
      .filter(({ kind }) => kind === 'concurrent_requests')
      .map((limit) => keyOf(shard, limit));
    if (leased.length > 0) this.#leases.add(shard, leased, name);
    this.#renewLater();
    return {
      settle: (tokensUsed) => {
        this.#leases.remove(shard, leased, name);
        const correction = tokensUsed - tokens;
        const open = limits.filter(
          ({ kind }) => kind === 'concurrent_requests' || (kind === 'tokens_per_minute' && correction !== 0),
        );
        if (open.length === 0) return;
        const settled = this.#giveBack(taken, open, correction);
        this.#inBackground('settle rates', settled, () => this.#freeLater(taken));
      },
    };
  }

  #giveBack({ shard, name }: Taken, limits: readonly RateLimit[], correction: number): Promise<Reply> {
    const keys = [
      nameInShard('rate:1', shard, `settled:${name}`),
      ...limits.map((limit) => keyOf(shard, limit)),
    ];
    const args = [correction, name, ...limits.flatMap(kindAndMax)];
    return this.#run(shard, this.#settle, { keys, args }, settleWindowMs);
  }

  /**
   * Frees the places of a request that nobody can be sure of: Redis did not answer when they were taken, or given back. Again and
   * again until it has, or the leases are over; places only, for they can be freed twice.
   */
  #freeLater(taken: Taken, until = this.#deps.clock.monotonic() + leaseMs): void {
    const places = taken.limits.filter(({ kind }) => kind === 'concurrent_requests');
    if (places.length === 0 || this.#closed || this.#deps.clock.monotonic() >= until) return;
    this.#deps.timers.after(freeAgainMs, () => {
      const freed = this.#giveBack(taken, places, 0);
      this.#inBackground('free places', freed, () => this.#freeLater(taken, until));
    });
  }

  /** One timer for all leases, and none where there are none. */
  #renewLater(): void {
    if (this.#cancelRenewal !== undefined || this.#leases.isEmpty) return;
    this.#cancelRenewal = this.#deps.timers.after(renewMs, () => {
      this.#cancelRenewal = undefined;
      for (const [shard, sets] of this.#leases.byShard()) this.#renewAll(shard, sets);
      this.#renewLater();
    });
  }

  #renewAll(shard: number, sets: ReadonlyMap<string, ReadonlySet<string>>): void {
    const keys = [...sets.keys()];
    const args = [leaseMs, ...[...sets.values()].flatMap((names) => [names.size, ...names])];
    this.#inBackground('renew leases', this.#run(shard, this.#renew, { keys, args }, this.#deps.deadlineMs));
  }

  /** What fails here costs no request anything: an estimate stands for a minute, a lease for 30 seconds. */
  #inBackground(task: string, work: Promise<unknown>, onFailure?: () => void): void {
    const tolerated = work.catch((error: unknown) => {
      if (!(error instanceof RedisUnavailableError)) throw error;
      onFailure?.();
    });
    this.#deps.background(task, tolerated);
  }

  /**
   * Runs a script that does nothing once the window is over. Where Redis's time is not known yet, or was set, the answer tells it
   * and the script is run once more: Redis does answer.
   */
  async #run(shard: number, script: Script, call: SentCall, windowMs: number): Promise<Reply> {
    const timed = { shard, windowMs, ...call };
    const reply = await this.#ask(script, timed);
    return reply[0] === late ? this.#ask(script, timed) : reply;
  }

  #ask(script: Script, { shard, windowMs, keys, args, onSend }: TimedCall): Promise<Reply> {
    const { clock, connection } = this.#deps;
    const until = clock.monotonic() + windowMs;
    return connection.run(async (client) => {
      onSend?.();
      const asked = clock.monotonic();
      const notAfter = this.#clocks[shard]?.timeAt(until) ?? 0;
      const reply = (await runScript(client, script, { keys, args: [notAfter, ...args] })) as Reply;
      this.#clocks[shard]?.told(reply[1] ?? 0, { asked, read: clock.monotonic() });
      return reply;
    }, shard);
  }
}

interface Taken {
  readonly shard: number;
  readonly name: string;
  readonly limits: readonly RateLimit[];
  readonly tokens: number;
}

interface SentCall extends ScriptCall {
  /** It is on its way: from here on it may be done, whatever is heard of it. */
  readonly onSend?: () => void;
}

interface TimedCall extends SentCall {
  readonly shard: number;
  readonly windowMs: number;
}

function keyOf(shard: number, { id, kind }: RateLimit): string {
  return nameInShard('rate:1', shard, `${kind}:${id}`);
}

function kindAndMax({ kind, max }: RateLimit): readonly (string | number)[] {
  return [kind, max];
}

function standing(figures: readonly number[], at: number): Standing {
  return {
    opensInMs: figures[at] ?? 0,
    remaining: figures[at + 1] ?? 0,
    resetsInMs: figures[at + 2] ?? 0,
  };
}
