// One record source over the fake control plane and Redis, with a network that a test controls.
import { createSealKey, parseSealKeys } from '../../../common/seal.ts';
import { RateShare } from '../../../common/shares.ts';
import { type AccessLimits, accessLimits } from '../../../proxy/access/limits.ts';
import type { Principal } from '../../../proxy/access/principal.ts';
import type { RecordKeys } from '../../../proxy/access/record-keys.ts';
import { createRecordSource, type LiveRecordSource } from '../../../proxy/access/record-source.ts';
import { GatewayError } from '../../../proxy/errors.ts';
import { createRedisRecords } from '../../../proxy/record-cache/redis-records.ts';
import { shares } from '../../../proxy/shares.ts';
import { silentLog } from '../silent-log.ts';
import { VirtualTime } from '../virtual-time.ts';
import { FakeControlPlane, type Link } from './control-plane.ts';
import { FakeDatabase } from './database.ts';
import { FakeRedis } from './redis.ts';

export const hourMs = 3_600_000;

export class TestLink implements Link {
  way: ReturnType<Link['resolve']> = { there: 1, back: 1 };
  feedMs = 1;
  notificationMs = 1;
  isSilent = false;
  isWithoutDatabase = false;
  bufferMax = 1_000;
  resolves = 0;
  started = 0;
  responsesDelivered = 0;

  resolve() {
    this.resolves += 1;
    return this.way;
  }
  feedDelay() {
    return this.feedMs;
  }
  notificationDelay() {
    return this.notificationMs;
  }
  feedIsSilent() {
    return this.isSilent;
  }
  databaseIsLost() {
    return this.isWithoutDatabase;
  }
  repeats() {
    return 0;
  }
  onDelivered(message: { readonly type: string }) {
    if (message.type === 'started') this.started += 1;
    if (message.type === 'response') this.responsesDelivered += 1;
  }
  /** The control plane is gone: calls are refused, the feed is silent. */
  cutOff() {
    this.way = 'refused';
    this.isSilent = true;
  }
}

export interface World {
  readonly time: VirtualTime;
  readonly database: FakeDatabase;
  readonly controlPlane: FakeControlPlane;
  readonly redis: FakeRedis;
}

export interface TestProxy {
  readonly source: LiveRecordSource;
  readonly link: TestLink;
  /** Every metric, in order. */
  readonly events: string[];
}

export function createWorld(): World {
  const time = new VirtualTime();
  const database = new FakeDatabase(time);
  return { time, database, controlPlane: new FakeControlPlane(time, database), redis: new FakeRedis(time) };
}

/** The key of all proxies. A client with this key can write valid values to Redis. */
export const sealKeys = parseSealKeys(createSealKey());

export interface TestProxyOptions {
  readonly withRedis?: boolean;
  readonly limits?: Partial<AccessLimits>;
  readonly link?: TestLink;
  /** Default: the key with which the control plane signs now. */
  readonly recordKeys?: RecordKeys;
  /** How far the proxy's wall clock is ahead. */
  readonly skewMs?: number;
  /** Default: an hour. */
  readonly maxStaleMs?: number;
}

export function startProxy(world: World, options: TestProxyOptions = {}): TestProxy {
  const { time } = world;
  const link = options.link ?? new TestLink();
  const events: string[] = [];
  const count = (event: string) => void events.push(event);
  const shared = {
    clock: { now: () => time.now() + (options.skewMs ?? 0), monotonic: () => time.monotonic() },
    background: (_name: string, promise: Promise<unknown>) => void promise.catch(() => {}),
    metrics: { lookup: count, cacheIgnored: count, cacheFailed: count },
    limits: { ...accessLimits, ...options.limits },
    maxStaleMs: options.maxStaleMs ?? hourMs,
  };
  const recordKeys = options.recordKeys ?? world.controlPlane.signing.publicKeys();
  const cache = createRedisRecords({ ...shared, commands: world.redis.commands(), sealKeys, recordKeys });
  const source = createRecordSource({
    ...shared,
    ...(options.withRedis === true && { cache }),
    controlPlane: world.controlPlane.connect(link, recordKeys),
    unknownCredentials: new RateShare(shares.unknown_credentials.bounds),
    timers: time,
    random: () => 0.5,
    log: silentLog,
  });
  return { source, link, events };
}

/** A hash for a key of a test, by a small number. */
export function hashOf(number: number): string {
  return number.toString(16).padStart(64, '0');
}

/** The result of a look-up while time advances: the key's id, or the code of the refusal. */
export async function outcome(
  world: World,
  found: () => Principal | Promise<Principal>,
  withinMs = 5_000,
): Promise<string> {
  let result = 'pending';
  const wait = async () => (await found()).key.keyId;
  wait().then(
    (keyId) => {
      result = keyId;
    },
    (error: unknown) => {
      result = error instanceof GatewayError ? error.code : String(error);
    },
  );
  for (let waited = 0; waited <= withinMs && result === 'pending'; waited += 5) await world.time.advance(5);
  return result;
}
