// Redis as records use it: a map with expiry that may be slow, gone, emptied, rolled back or written by an attacker.
import type { RecordCommands } from '../../../proxy/record-cache/redis-records.ts';
import { RedisUnavailableError } from '../../../proxy/redis/connection.ts';
import type { VirtualTime } from '../virtual-time.ts';

interface Value {
  readonly bytes: Buffer;
  readonly expiresAt: number;
}

export class FakeRedis {
  /** Milliseconds until a command takes effect; undefined: the command fails. */
  readDelay: () => number | undefined = () => 0;
  writeDelay: () => number | undefined = () => 0;
  values = new Map<string, Value>();
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** The commands of one proxy. */
  commands(): RecordCommands {
    let hasResponded = false;
    const read = <T>(act: () => T) =>
      this.#later(this.readDelay(), () => {
        hasResponded = true;
        return act();
      });
    return {
      get: (name) => read(() => this.get(name)),
      set: (name, bytes, expiresInMs) => {
        const expiresAt = this.#time.monotonic() + expiresInMs;
        return this.#later(this.writeDelay(), () => this.values.set(name, { bytes, expiresAt }));
      },
      delete: (name) => this.#later(this.writeDelay(), () => this.values.delete(name)),
      hasResponded: () => hasResponded,
    };
  }

  get(name: string): Buffer | null {
    const value = this.values.get(name);
    return value !== undefined && this.#time.monotonic() < value.expiresAt ? value.bytes : null;
  }

  /** Stores bytes under a name without expiry. */
  plant(name: string, bytes: Buffer): void {
    this.values.set(name, { bytes, expiresAt: Number.POSITIVE_INFINITY });
  }

  #later<T>(delayMs: number | undefined, act: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (delayMs === undefined) reject(new RedisUnavailableError('down'));
      else this.#time.after(delayMs, () => resolve(act()));
    });
  }
}
