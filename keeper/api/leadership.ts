// Elects the keeper that acts, by a Lease as Kubernetes' own controllers use it:
// https://kubernetes.io/docs/concepts/architecture/leases/. Clocks are never compared: a lease has expired if this
// process has seen no renewal for the lease's duration. A leader that cannot renew stops before another may begin.
// Every write names the version that it was made from, so that a late write is refused.
import type { Clock } from '../../common/clock.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Logger } from '../../common/logger.ts';
import { type PeriodicTask, startPeriodicTask } from '../../common/periodic-task.ts';
import type { Timers } from '../../common/timers.ts';
import { type ApiClient, hasStatus } from './client.ts';
import { textIn, versionOf } from './sources.ts';

export interface Leadership {
  isLeader(): boolean;
  /** Releases the lease, so that another keeper can begin at once. */
  close(): Promise<void>;
}

export interface LeadershipOptions {
  readonly client: ApiClient;
  /** The path of the Lease. */
  readonly path: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** Called when leadership begins and when it ends. */
  onChange(): void;
}

const leaseSeconds = 15;
/** A leader without a renewal for this long stops. */
const renewWithinMs = 10_000;
const everyMs = 3_000;

export function startLeadership(options: LeadershipOptions): Leadership {
  const candidate = new Candidate(options);
  const task: PeriodicTask = startPeriodicTask(() => candidate.run(), {
    what: 'the keepers’ lease',
    everyMs,
    log: options.log,
    timers: options.timers,
  });
  return {
    isLeader: () => candidate.isLeader(),
    close: async () => {
      await task.close();
      await candidate.release();
    },
  };
}

interface Observed {
  readonly holder: string;
  /** As the holder wrote it. */
  readonly renewTime: string;
  /** When this process first saw that time, monotonic. */
  readonly at: number;
}

class Candidate {
  readonly #options: LeadershipOptions;
  #observed: Observed | undefined;
  /** Start of the last successful renewal. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  isLeader(): boolean {
    return this.#options.clock.monotonic() - this.#renewedAt < renewWithinMs;
  }

  async run(): Promise<void> {
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
      // Another keeper was faster; the next run reads its lease.
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
      log.info({ err }, 'the lease could not be released; it expires on its own');
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
