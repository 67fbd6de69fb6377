// The current objects of a source at the API server: read once, then watched. A watch that ends continues from its last
// version. After a too old version (410) or an invalid event, all objects are read again, and so they are every ten
// minutes.
import { backoffMs } from '../../common/backoff.ts';
import type { Clock } from '../../common/clock.ts';
import type { JsonObject } from '../../common/json.ts';
import type { Logger } from '../../common/logger.ts';
import type { Timers } from '../../common/timers.ts';
import { type ApiClient, hasStatus, type WatchEvent } from './client.ts';
import { metadataOf, type Source, textIn, versionOf } from './sources.ts';

export interface Followed {
  /** By namespace and name; undefined: not read yet. */
  readonly objects: ReadonlyMap<string, JsonObject> | undefined;
  /** For a source with a single object. */
  readonly object: JsonObject | undefined;
  /** The account has no permission to read them. */
  readonly isForbidden: boolean;
  close(): void;
}

export interface FollowOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** Called after each change, after each reading, and when reading becomes forbidden. */
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
  /** Failures since the last event, or the last watch that ended normally. */
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
        // Prevents a busy loop with a server that ends every watch at once.
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
    // A watch without a version reports the existing objects first. If it has reported none before its bookmark,
    // objects that were read may be gone, so they are read again after the watch.
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

  /** @returns the time to wait in milliseconds */
  #failed(err: unknown): number {
    const wasForbidden = this.isForbidden;
    this.isForbidden = hasStatus(err, 403);
    if (this.isForbidden && !wasForbidden) this.#options.onChange();
    const isGone = hasStatus(err, 410);
    // Only after a cut connection can the watch continue. After other failures, the missed changes are unknown.
    if (isGone || hasStatus(err, 400, 403, 404)) this.#version = undefined;
    this.#failures++;
    // A single too old version is normal and is not logged.
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
