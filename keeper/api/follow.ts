// Objects of the API server as they are now: read once, then watched. A watch that ends goes on where it was; one that is too old
// (410), or that brings nonsense, begins anew with a reading. From time to time everything is read anyway.
import { backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { JsonObject } from '../../common/json.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import { type ApiClient, hasStatus, type WatchEvent } from './client.ts';
import { metadataOf, type Source, textIn, versionOf } from './sources.ts';

export interface Followed {
  /** By namespace and name; undefined: they have not been read yet. */
  readonly objects: ReadonlyMap<string, JsonObject> | undefined;
  /** Of a source of one object. */
  readonly object: JsonObject | undefined;
  /** The account may not read them. */
  readonly isForbidden: boolean;
  close(): void;
}

export interface FollowOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** After each change, after the first reading, and where it turns out that reading is forbidden. */
  onChange(): void;
}

const readAgainMs = 600_000;
const retry = { firstMs: 200, maxMs: 5_000 } as const;
const forbiddenRetryMs = 60_000;

export function follow(source: Source, options: FollowOptions): Followed {
  const follower = new Follower(source, options);
  void follower.run();
  return follower;
}

class Follower implements Followed {
  readonly #source: Source;
  readonly #options: FollowOptions;
  #objects: Map<string, JsonObject> | undefined;
  #version: string | undefined;
  #readAt = 0;
  /** In a row: since a watch last told something, or ended as it should. */
  #failures = 0;
  #complained = false;
  #closed = false;
  #wake = () => {};
  isForbidden = false;

  constructor(source: Source, options: FollowOptions) {
    this.#source = source;
    this.#options = options;
  }

  get objects(): ReadonlyMap<string, JsonObject> | undefined {
    return this.#objects;
  }

  get object(): JsonObject | undefined {
    return this.#objects?.values().next().value;
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Never rejects. */
  async run(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#once();
        this.#succeeded();
        // A server that ends every watch at once is not asked in a loop.
        await this.#sleep(retry.firstMs);
      } catch (error) {
        await this.#sleep(this.#failed(error));
      }
    }
  }

  async #once(): Promise<void> {
    const { client, clock } = this.#options;
    if (this.#version === undefined || clock.monotonic() - this.#readAt > readAgainMs) await this.#read();
    const { path, fieldSelector } = this.#source;
    for await (const event of client.watch(path, { fieldSelector, resourceVersion: this.#version })) {
      if (this.#closed) return;
      this.#apply(event);
    }
  }

  async #read(): Promise<void> {
    const { clock, client, onChange } = this.#options;
    const { objects, resourceVersion } = await this.#source.read(client);
    if (this.#closed) return;
    this.#objects = new Map(objects.map((object) => [keyOf(object), object]));
    this.#version = resourceVersion;
    this.#readAt = clock.monotonic();
    this.isForbidden = false;
    onChange();
  }

  #apply({ type, object }: WatchEvent): void {
    const { project = (whole: JsonObject) => whole } = this.#source;
    this.#succeeded();
    // A watch from no version tells first what there is. One that has told nothing by its bookmark may know of nothing where
    // something was read: that is read again when it ends.
    if (type === 'BOOKMARK' && this.#version === undefined) return;
    this.#version = versionOf(object) ?? this.#version;
    if (type === 'BOOKMARK') return;
    const objects = this.#objects ?? new Map<string, JsonObject>();
    this.#objects = objects;
    if (type === 'DELETED') objects.delete(keyOf(object));
    else objects.set(keyOf(object), project(object));
    this.#options.onChange();
  }

  #succeeded(): void {
    if (this.#complained) this.#options.log.info({ objects: this.#source.what }, 'can be read again');
    this.#complained = false;
    this.#failures = 0;
    this.isForbidden = false;
  }

  /** @returns how long to wait */
  #failed(err: unknown): number {
    const wasForbidden = this.isForbidden;
    this.isForbidden = hasStatus(err, 403);
    if (this.isForbidden && !wasForbidden) this.#options.onChange();
    const isGone = hasStatus(err, 410);
    // Other failures than a cut keep nothing: what was missed cannot be known.
    if (isGone || hasStatus(err, 400, 403, 404)) this.#version = undefined;
    this.#failures++;
    // A version that is too old is nothing out of the ordinary, unless the next one is too.
    const isOrdinary = isGone && this.#failures === 1;
    if (!isOrdinary && !this.#complained && !this.#closed) {
      this.#options.log.warn({ err, objects: this.#source.what }, 'cannot be read; trying again');
      this.#complained = true;
    }
    if (this.isForbidden) return forbiddenRetryMs;
    return backoffMs(this.#failures, retry);
  }

  #sleep(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

function keyOf(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return `${textIn(namespace) ?? ''}/${textIn(name) ?? ''}`;
}
