// Resolves that are needed at the same time share calls of the control plane. A few keys at a time have calls of their
// own, so that a key alone never waits. When more are needed, after a start or when the feed was lost, one call is under
// way for all of them, and keys that come meanwhile share the next.
import type { Clock } from '../../common/clock.ts';
import type { AccessLimits } from './limits.ts';
import type { ResolvedRecords } from './records.ts';

/** @throws if there is no response within the time, or a refusal */
export type ResolveOne = (keyHash: string, timeoutMs: number) => Promise<ResolvedRecords>;

/**
 * @returns the records of at least one of the keys, or why those of a key cannot be read. Keys that are missing have not
 * been looked up
 * @throws BatchRefusedError, and as ResolveOne
 */
export type ResolveMany = (
  keyHashes: readonly string[],
  timeoutMs: number,
) => Promise<ReadonlyMap<string, ResolvedRecords | Error>>;

/** The control plane resolves one key at a time, for now. */
export class BatchRefusedError extends Error {
  override readonly name = 'BatchRefusedError';
  readonly forMs: number;

  constructor(forMs: number, cause: unknown) {
    super('the control plane does not resolve many keys at once', { cause });
    this.forMs = forMs;
  }
}

export interface BatchedResolvesDeps {
  readonly one: ResolveOne;
  /** Absent: each key has a call of its own. */
  readonly many: ResolveMany | undefined;
  readonly clock: Clock;
  readonly limits: Pick<AccessLimits, 'resolvesAloneMax' | 'resolvesTogetherMax'>;
}

interface Waiting {
  readonly keyHash: string;
  readonly deadline: number;
  readonly resolve: (records: ResolvedRecords | Promise<ResolvedRecords>) => void;
  readonly reject: (error: unknown) => void;
}

export class BatchedResolves {
  readonly #deps: BatchedResolvesDeps;
  #waiting: Waiting[] = [];
  #alone = 0;
  #isBatching = false;
  /** Until then each key has a call of its own. */
  #refusedUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: BatchedResolvesDeps) {
    this.#deps = deps;
  }

  /** @throws as ResolveOne */
  resolve(keyHash: string, timeoutMs: number): Promise<ResolvedRecords> {
    const { clock, limits, many } = this.#deps;
    const now = clock.monotonic();
    const isAlone = !this.#isBatching && this.#alone < limits.resolvesAloneMax;
    if (many === undefined || now < this.#refusedUntil || isAlone) return this.#resolveAlone(keyHash, timeoutMs);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keyHash, deadline: now + timeoutMs, resolve, reject });
      if (!this.#isBatching) void this.#resolveWaiting(many);
    });
  }

  async #resolveAlone(keyHash: string, timeoutMs: number): Promise<ResolvedRecords> {
    this.#alone += 1;
    try {
      return await this.#deps.one(keyHash, timeoutMs);
    } finally {
      this.#alone -= 1;
    }
  }

  /** Never rejects: each failure is one of the keys that wait. */
  async #resolveWaiting(many: ResolveMany): Promise<void> {
    this.#isBatching = true;
    while (this.#waiting.length > 0) await this.#resolveBatch(many, this.#nextBatch());
    this.#isBatching = false;
  }

  #nextBatch(): readonly Waiting[] {
    const now = this.#deps.clock.monotonic();
    const [over, inTime] = [
      this.#waiting.filter(({ deadline }) => deadline <= now),
      this.#waiting.filter(({ deadline }) => deadline > now),
    ];
    for (const { reject } of over) reject(new Error('the key was not resolved in time'));
    const batch = inTime.slice(0, this.#deps.limits.resolvesTogetherMax);
    this.#waiting = inTime.slice(batch.length);
    return batch;
  }

  async #resolveBatch(many: ResolveMany, batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    const timeoutMs = Math.max(...batch.map(({ deadline }) => deadline)) - this.#deps.clock.monotonic();
    try {
      const results = await many(
        batch.map(({ keyHash }) => keyHash),
        timeoutMs,
      );
      this.#waiting.unshift(...batch.filter(({ keyHash }) => !results.has(keyHash)));
      for (const { keyHash, reject, resolve } of batch) {
        const result = results.get(keyHash);
        if (result instanceof Error) reject(result);
        else if (result !== undefined) resolve(result);
      }
    } catch (error) {
      if (error instanceof BatchRefusedError) this.#resolveEach([...batch, ...this.#waiting.splice(0)], error);
      else for (const { reject } of batch) reject(error);
    }
  }

  #resolveEach(waiting: readonly Waiting[], { forMs }: BatchRefusedError): void {
    const now = this.#deps.clock.monotonic();
    this.#refusedUntil = now + forMs;
    for (const { deadline, keyHash, resolve } of waiting)
      resolve(this.#resolveAlone(keyHash, Math.max(1, deadline - now)));
  }
}
