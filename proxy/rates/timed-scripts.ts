// Scripts that do nothing once their time is over: whoever asked has stopped waiting by then, and may have gone on without Redis.
import type { Clock } from '../../common/clock.ts';
import { type RedisConnection, RedisUnavailableError } from '../redis/connection.ts';
import { runScript, type Script, type ScriptCall } from '../redis/script.ts';
import { shardCount } from '../redis/shards.ts';
import { ServerClock } from './server-clock.ts';

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
export class UnheardError extends RedisUnavailableError {}

const late = -1;
type Reply = readonly [state: number, now: number, answer?: string];

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
   * @throws UnheardError where it may have been done, RedisUnavailableError where it was not
   */
  async run(script: Script, call: ScriptCall, window: ScriptWindow): Promise<string> {
    let [state, , answer] = await this.#ask(script, call, window);
    if (state === late) [state, , answer] = await this.#ask(script, call, window);
    if (state === late) throw new RedisUnavailableError('Redis answered too late');
    return answer ?? '';
  }

  async #ask(script: Script, { keys, args }: ScriptCall, { shard, windowMs }: ScriptWindow): Promise<Reply> {
    const { clock, connection } = this.#deps;
    const until = clock.monotonic() + windowMs;
    let isSent = false;
    try {
      return await connection.run(async (client) => {
        isSent = true;
        const asked = clock.monotonic();
        const notAfter = this.#clocks[shard]?.timeAt(until) ?? 0;
        const reply = (await runScript(client, script, { keys, args: [notAfter, ...args] })) as Reply;
        this.#clocks[shard]?.told(reply[1], { asked, read: clock.monotonic() });
        return reply;
      }, shard);
    } catch (error) {
      if (isSent && error instanceof RedisUnavailableError) throw new UnheardError(error.message, error);
      throw error;
    }
  }
}
