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

const late = -1;
type Reply = readonly number[];

export class RedisRates implements Rates {
  readonly #deps: RedisRatesDeps;
  readonly #take: Script;
  readonly #settle: Script;
  readonly #renew: Script;
  readonly #leases = new Leases();
  #cancelRenewal: (() => void) | undefined;
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
    const reply = await this.#run(shard, this.#take, { keys, args }, this.#deps.deadlineMs);
    const [state, , ...figures] = reply;
    if (state === late) throw new RedisUnavailableError('Redis answered too late');
    const hold = state === 1 ? this.#hold({ shard, name, limits, tokens }) : undefined;
    return { standings: limits.map((_, index) => standing(figures, index * 3)), hold };
  }

  close(): void {
    this.#cancelRenewal?.();
  }

  #hold({ shard, name, limits, tokens }: Taken): RateHold {
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
        const keys = [
          nameInShard('rate:1', shard, `settled:${name}`),
          ...open.map((limit) => keyOf(shard, limit)),
        ];
        const args = [correction, name, ...open.flatMap(kindAndMax)];
        this.#inBackground('settle rates', this.#run(shard, this.#settle, { keys, args }, settleWindowMs));
      },
    };
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
  #inBackground(task: string, work: Promise<unknown>): void {
    const tolerated = work.catch((error: unknown) => {
      if (!(error instanceof RedisUnavailableError)) throw error;
    });
    this.#deps.background(task, tolerated);
  }

  /**
   * Runs a script that does nothing once the window is over. Where Redis's time is not known yet, or was set, the answer tells it
   * and the script is run once more: Redis does answer.
   */
  async #run(shard: number, script: Script, call: ScriptCall, windowMs: number): Promise<Reply> {
    const timed = { shard, windowMs, ...call };
    const reply = await this.#ask(script, timed);
    return reply[0] === late ? this.#ask(script, timed) : reply;
  }

  #ask(script: Script, { shard, windowMs, keys, args }: TimedCall): Promise<Reply> {
    const { clock, connection } = this.#deps;
    const until = clock.monotonic() + windowMs;
    return connection.run(async (client) => {
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

interface TimedCall extends ScriptCall {
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
