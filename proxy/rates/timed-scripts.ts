// Scripts that do nothing once their time is over: the caller has stopped waiting by then, and may have continued
// without Redis.
import type { Clock } from '../../common/clock.ts';
import { type RedisConnection, RedisUnavailableError } from '../redis/connection.ts';
import { runScript, type Script, type ScriptCall } from '../redis/script.ts';
import { shardCount } from '../redis/shards.ts';

export interface TimedScriptsDeps {
  readonly connection: RedisConnection;
  readonly clock: Clock;
}

export interface ScriptWindow {
  readonly shard: number;
  /** Counted from when the script is sent. */
  readonly windowMs: number;
}

/** The script was sent, and no response arrived: it may have run nevertheless. */
export class NoReplyError extends RedisUnavailableError {}

const late = -1;
type RedisReply = readonly [state: number, now: number, response?: string];

export class TimedScripts {
  readonly #deps: TimedScriptsDeps;
  /** The clocks of Redis by shard: in a Cluster each node has its own. */
  readonly #clocks = Array.from({ length: shardCount }, () => new ServerClock());

  constructor(deps: TimedScriptsDeps) {
    this.#deps = deps;
  }

  /**
   * If Redis's time is not known yet, or was set, the response contains it and the script is run once more, because
   * Redis does respond.
   * @returns the result of the script, without its state and the time
   * @throws NoReplyError if it may have run, RedisUnavailableError if it did not
   */
  async run(script: Script, call: ScriptCall, window: ScriptWindow): Promise<string> {
    let [state, , response] = await this.#ask(script, call, window);
    if (state === late) [state, , response] = await this.#ask(script, call, window);
    if (state === late) throw new RedisUnavailableError('Redis responded too late');
    return response ?? '';
  }

  async #ask(script: Script, { keys, args }: ScriptCall, { shard, windowMs }: ScriptWindow): Promise<RedisReply> {
    const { clock, connection } = this.#deps;
    const until = clock.monotonic() + windowMs;
    let isSent = false;
    try {
      return await connection.run(async (client) => {
        isSent = true;
        const requested = clock.monotonic();
        const notAfter = this.#clocks[shard]?.timeAt(until) ?? 0;
        const reply = (await runScript(client, script, { keys, args: [notAfter, ...args] })) as RedisReply;
        this.#clocks[shard]?.update(reply[1], { requested, read: clock.monotonic() });
        return reply;
      }, shard);
    } catch (error) {
      if (isSent && error instanceof RedisUnavailableError) throw new NoReplyError(error.message, error);
      throw error;
    }
  }
}

/** More than clocks drift apart. */
const driftMsPerMs = 0.001;
/** An older estimate may be too far ahead. */
const forgottenAfterMs = 60_000;

/**
 * The present time of a server's clock, estimated from the times that it reported. It reports each one after the call
 * was sent, so the estimate is ahead by no more than the quickest round trip. The time at which a response was read
 * shows little: the response may have waited here while the event loop stood still.
 */
export class ServerClock {
  /** The server's time minus the monotonic clock, at most. */
  #offset = Number.NEGATIVE_INFINITY;
  #updatedAt = Number.NEGATIVE_INFINITY;

  /** @param requested monotonic, before the call was sent. @param read monotonic, when its response was read */
  update(time: number, { requested, read }: { readonly requested: number; readonly read: number }): void {
    const most = this.#offset + Math.max(0, read - this.#updatedAt) * driftMsPerMs;
    // Later than seemed possible: it is the first time, or the server's clock was set ahead.
    const wasSetAhead = this.#updatedAt === Number.NEGATIVE_INFINITY || time - read > most;
    this.#offset = wasSetAhead ? time - requested : Math.min(most, time - requested);
    this.#updatedAt = read;
  }

  /** Whole milliseconds; 0 while the time is unknown. @param at monotonic */
  timeAt(at: number): number {
    const known = at - this.#updatedAt <= forgottenAfterMs;
    return known ? Math.max(0, Math.floor(at + this.#offset)) : 0;
  }
}
