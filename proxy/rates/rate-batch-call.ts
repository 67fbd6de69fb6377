// Encodes a batch as arguments of scripts/turn.lua. Each limit is named once, however many requests it applies to. If
// it changed between two of them, its newest maximum counts.
import { aList, aNumber, aString, at, readShape, type Shape } from '../../common/json-shape.ts';
import type { ScriptCall } from '../redis/script.ts';
import { nameInShard } from '../redis/shards.ts';
import { LimitOfBatch } from './limit-of-batch.ts';
import type { CountedAlone } from './local-rates.ts';
import { isReleased, type LeaseGrants, type LeaseOfLimit, type RateBatch, rateKey } from './rate-batch.ts';
import type { RateLimit, Standing } from './rates.ts';

export interface Judgement {
  readonly isAdmitted: boolean;
  readonly standings: readonly Standing[];
}

export interface BatchCallOptions {
  /** Of this call, and of no other one. */
  readonly name: string;
  readonly leaseMs: number;
  /** Counts of requests and tokens that were admitted without Redis, for limits of the requests. */
  readonly alone: readonly CountedAlone[];
  /** For limits of the requests that begin, each at most once. */
  readonly leases?: readonly LeaseOfLimit[];
}

/** First the admitted requests, then the state of each limit, then what was leased and when. */
const theResponse: Shape<readonly [string, ...number[]]> = (value) => {
  const [verdicts, ...figures] = aList((one) => one)(value);
  return [at('[0]', aString, verdicts), ...aList(aNumber)(figures)];
};

export class BatchCall implements ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly #batch: RateBatch;
  /** By id, in the order of their positions. */
  readonly #limits = new Map<string, LimitOfBatch>();
  /** The limits of each request that begins, in order. */
  readonly #requested: readonly (readonly LimitOfBatch[])[];

  /** Positions of the limits to lease from, each followed by how much. */
  readonly #wanted: readonly number[];
  #grants: LeaseGrants = { sizes: [], at: 0 };

  constructor(batch: RateBatch, { alone, leaseMs, name, leases = [] }: BatchCallOptions) {
    const { shard, ended, begun } = batch;
    this.#batch = batch;
    // Added before the limits of ended requests, whose maxima are older.
    this.#requested = begun.map(({ request }) => request.limits.map((limit) => this.#limitRequested(limit)));
    const limitCount = this.#limits.size;
    this.#wanted = leases.flatMap(({ limit, want }) => (want > 0 ? [this.#positionOf(limit), want] : []));
    const back = this.#backArgs(leases);
    const words = {
      leaseMs,
      asked: limitCount,
      alone: alone.flatMap(({ count, limit }) => [this.#limits.get(limit.id)?.position ?? 0, count]),
      ended: this.#endedArgs(),
      endedLeases: ended.map(({ request }) => request.name),
      begun: this.#begunArgs(),
      begunLeases: begun.map(({ request }) => request.name),
      limits: this.#limitArgs(),
      ...(this.#wanted.length > 0 && { want: this.#wanted }),
      ...(back.length > 0 && { back }),
    };
    const mark = nameInShard('rate:1', shard, `turn:${name}`);
    this.keys = [mark, ...Array.from(this.#limits, ([id, { kind }]) => rateKey(shard, kind, id))];
    this.args = [JSON.stringify(words)];
  }

  /** The decision on each request that begins. @param text the result of the script */
  read(text: string): readonly Judgement[] {
    const [verdicts, ...figures] = readShape(text, theResponse);
    let at = 0;
    for (const limit of this.#limits.values()) at = limit.hear(figures, at);
    const end = at + this.#wanted.length / 2;
    this.#grants = { sizes: figures.slice(at, end), at: figures[end] ?? 0 };
    return this.#batch.begun.map(({ request: { tokens } }, index) => {
      const isAdmitted = verdicts[index] === '1';
      const limits = this.#requested[index] ?? [];
      return { isAdmitted, standings: limits.map((limit) => limit.standing(isAdmitted, tokens)) };
    });
  }

  /** To be called after `read`. */
  get grants(): LeaseGrants {
    return this.#grants;
  }

  #positionOf(limit: RateLimit): number {
    return (this.#limits.get(limit.id) ?? this.#add(limit)).position;
  }

  #limitRequested(limit: RateLimit): LimitOfBatch {
    const known = this.#limits.get(limit.id);
    if (known === undefined) return this.#add(limit);
    known.max = limit.max;
    return known;
  }

  #add({ id, kind, max }: RateLimit): LimitOfBatch {
    const made = new LimitOfBatch(this.#limits.size + 1, kind, max);
    this.#limits.set(id, made);
    return made;
  }

  #endedArgs(): number[] {
    const words: number[] = [];
    for (const { request, correction } of this.#batch.ended) {
      const countAt = words.push(correction, 0) - 1;
      for (const limit of request.limits) {
        if (isReleased(limit.kind, correction)) words.push(this.#positionOf(limit));
      }
      words[countAt] = words.length - countAt - 1;
    }
    return words;
  }

  #backArgs(leases: readonly LeaseOfLimit[]): number[] {
    const words: number[] = [];
    for (const { limit, back } of [...leases, ...(this.#batch.back ?? [])]) {
      if (back !== undefined) words.push(this.#positionOf(limit), back.second, back.size, back.unused);
    }
    return words;
  }

  #begunArgs(): number[] {
    const words: number[] = [];
    for (const [index, limits] of this.#requested.entries()) {
      words.push(this.#batch.begun[index]?.request.tokens ?? 0, limits.length);
      for (const { position } of limits) words.push(position);
    }
    return words;
  }

  #limitArgs(): (string | number)[] {
    const words: (string | number)[] = [];
    for (const { kind, max } of this.#limits.values()) words.push(kind, max);
    return words;
  }
}
