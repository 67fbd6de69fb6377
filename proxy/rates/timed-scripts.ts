// Scripts that do nothing once their time is over: whoever asked has stopped waiting by then, and may have gone on without Redis.
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
  /** From when it is sent. */
  readonly windowMs: number;
}

/** It was sent and no answer was heard: it may have been done all the same. */
export class NoReplyError extends RedisUnavailableError {}

const late = -1;
type Reply = readonly [state: number, now: number, response?: string];

export class TimedScripts {
  readonly #deps: TimedScriptsDeps;
  /** Redis's, by shard: in a Cluster each node has a clock of its own. */
  readonly #clocks = Array.from({ length: shardCount }, () => new ServerClock());

  constructor(deps: TimedScriptsDeps) {
    this.#deps = deps;
  }

  /**
   * Where Redis's time is not known yet, or was set, the answer tells it and the script is run once more: Redis does answer.
   * @returns what the script says beside its state and the time
   * @throws NoReplyError where it may have been done, RedisUnavailableError where it was not
   */
  async run(script: Script, call: ScriptCall, window: ScriptWindow): Promise<string> {
    let [state, , response] = await this.#ask(script, call, window);
    if (state === late) [state, , response] = await this.#ask(script, call, window);
    if (state === late) throw new RedisUnavailableError('Redis answered too late');
    return response ?? '';
  }

  async #ask(script: Script, { keys, args }: ScriptCall, { shard, windowMs }: ScriptWindow): Promise<Reply> {
    const { clock, connection } = this.#deps;
    const until = clock.monotonic() + windowMs;
    let isSent = false;
    try {
      return await connection.run(async (client) => {
        isSent = true;
        const requested = clock.monotonic();
        const notAfter = this.#clocks[shard]?.timeAt(until) ?? 0;
        const reply = (await runScript(client, script, { keys, args: [notAfter, ...args] })) as Reply;
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
/** A guess that is older may be too far ahead. */
const forgottenAfterMs = 60_000;

/**
 * What a server's clock shows now, guessed from the times that it reported. It reports each after it was asked, so the guess is ahead by no
 * more than the quickest round trip. When a response was read says little: it may have waited here for as long as the event loop stood
 * still.
 */
export class ServerClock {
  /** The server's time less the monotonic clock, at most. */
  #offset = Number.NEGATIVE_INFINITY;
  #updatedAt = Number.NEGATIVE_INFINITY;

  /** @param asked monotonic, before the question was sent. @param read monotonic, when its answer was read */
  update(time: number, { requested, read }: { readonly requested: number; readonly read: number }): void {
    const most = this.#offset + Math.max(0, read - this.#updatedAt) * driftMsPerMs;
    // Later than was thought possible: it is the first time, or the server's clock was set ahead.
    const wasSetAhead = this.#updatedAt === Number.NEGATIVE_INFINITY || time - read > most;
    this.#offset = wasSetAhead ? time - requested : Math.min(most, time - requested);
    this.#updatedAt = read;
  }

  /** Whole milliseconds; 0 while it is not known. @param at monotonic */
  timeAt(at: number): number {
    const known = at - this.#updatedAt <= forgottenAfterMs;
    return known ? Math.max(0, Math.floor(at + this.#offset)) : 0;
  }
}
