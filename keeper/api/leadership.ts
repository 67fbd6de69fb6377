// Which of the keepers acts, by a Lease as Kubernetes' own controllers use one: https://kubernetes.io/docs/concepts/architecture/leases/.
// Clocks are never compared: a lease is over when nobody has renewed it for its time, as seen from here. Whoever cannot renew
// stops before another may begin; and every write names the version that it was made from, so that one that comes late is refused.
import type { Clock } from '../../common/clock.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Logger } from '../../common/logger.ts';
import { type Rounds, startRounds } from '../../common/periodic-task.ts';
import type { Timers } from '../../common/timers.ts';
import { type ApiClient, hasStatus } from './client.ts';
import { textIn, versionOf } from './sources.ts';

export interface Leadership {
  isLeader(): boolean;
  /** Lets the lease go, so that another begins at once. */
  close(): Promise<void>;
}

export interface LeadershipOptions {
  readonly client: ApiClient;
  /** Of the Lease. */
  readonly path: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** Told when it begins and when it ends. */
  onChange(): void;
}

const leaseSeconds = 15;
/** Without a renewal for so long the leader stops. */
const renewWithinMs = 10_000;
const everyMs = 3_000;

export function startLeadership(options: LeadershipOptions): Leadership {
  const candidate = new Candidate(options);
  const rounds: Rounds = startRounds(() => candidate.round(), {
    what: 'the keepers’ lease',
    everyMs,
    log: options.log,
    timers: options.timers,
  });
  return {
    isLeader: () => candidate.isLeader(),
    close: async () => {
      await rounds.close();
      await candidate.release();
    },
  };
}

interface Observed {
  readonly holder: string;
  /** As the holder wrote it. */
  readonly renewTime: string;
  /** When that was first seen here, monotonic. */
  readonly at: number;
}

class Candidate {
  readonly #options: LeadershipOptions;
  #observed: Observed | undefined;
  /** When the last renewal that succeeded was begun. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  isLeader(): boolean {
    return this.#options.clock.monotonic() - this.#renewedAt < renewWithinMs;
  }

  async round(): Promise<void> {
    const { client, path, clock, identity } = this.#options;
    const was = this.isLeader();
    const begun = clock.monotonic();
    try {
      const lease = await client.get(path);
      this.#observe(lease);
      if (!this.#isFree()) return this.#lost();
      await client.patch(path, this.#claim(lease));
      this.#renewedAt = begun;
      this.#observed = undefined;
      if (!was) this.#options.log.info({ identity }, 'this keeper acts');
    } catch (error) {
      // Another was faster: it is looked at in the next round.
      if (!hasStatus(error, 409)) throw error;
      this.#lost();
    } finally {
      if (was !== this.isLeader()) this.#options.onChange();
    }
  }

  async release(): Promise<void> {
    if (!this.isLeader()) return;
    const { client, path, log } = this.#options;
    this.#lost();
    try {
      const lease = await client.get(path);
      if (holderOf(lease) !== this.#options.identity) return;
      const metadata = { resourceVersion: versionOf(lease) };
      await client.patch(path, { metadata, spec: { holderIdentity: '', leaseDurationSeconds: 1 } });
    } catch (err) {
      log.info({ err }, 'the lease was not let go; it ends by itself');
    }
  }

  #lost(): void {
    this.#renewedAt = Number.NEGATIVE_INFINITY;
  }

  #observe(lease: JsonObject): void {
    const [holder, renewTime] = [holderOf(lease), textIn(specOf(lease).renewTime) ?? ''];
    const isSame = this.#observed?.holder === holder && this.#observed.renewTime === renewTime;
    if (!isSame) this.#observed = { holder, renewTime, at: this.#options.clock.monotonic() };
  }

  #isFree(): boolean {
    const { identity, clock } = this.#options;
    const { holder = '', at = 0 } = this.#observed ?? {};
    return holder === '' || holder === identity || clock.monotonic() - at > leaseSeconds * 1000;
  }

  #claim(lease: JsonObject): object {
    const { identity, clock } = this.#options;
    const now = `${new Date(clock.now()).toISOString().slice(0, -1)}000Z`;
    const spec = specOf(lease);
    const isMine = spec.holderIdentity === identity;
    const { leaseTransitions: before } = spec;
    const leaseTransitions = typeof before === 'number' ? before : 0;
    return {
      metadata: { resourceVersion: versionOf(lease) },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: leaseSeconds,
        renewTime: now,
        ...(!isMine && { acquireTime: now, leaseTransitions: leaseTransitions + 1 }),
      },
    };
  }
}

function holderOf(lease: JsonObject): string {
  return textIn(specOf(lease).holderIdentity) ?? '';
}

function specOf({ spec }: JsonObject): JsonObject {
  return isObject(spec) ? spec : {};
}
