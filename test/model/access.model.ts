// A model of the access protocol, run against the implementation under one seeded schedule: proxies with their real
// record sources, a database that is restored, a feed that is cut and silenced, and a Redis that is emptied, rolled
// back and forged by attackers with and without the cache key.
// Each admission and each refusal is checked against the full history of the database.
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { platformRef, refOf, type Subject } from '../../proxy/access/cached-record.ts';
import { GatewayError } from '../../proxy/errors.ts';
import { FakeControlPlane } from '../support/access/control-plane.ts';
import { type Backup, FakeDatabase } from '../support/access/database.ts';
import { Random } from '../support/access/random.ts';
import { FakeRedis } from '../support/access/redis.ts';
import { VirtualTime } from '../support/virtual-time.ts';
import { forgeRecord } from './access.forger.ts';
import { ModelProxy } from './access.proxy.ts';
import { Violation, verifyAdmission, verifyRefusal } from './access.verifier.ts';

/**
 * How often each event happened: results by kind, look-ups by tier, ignored records of Redis. It shows what the
 * schedules reach.
 */
export type ScheduleReport = ReadonlyMap<string, number>;

/** @throws Violation that names the seed */
export async function runSchedule(seed: number): Promise<ScheduleReport> {
  const world = new World(seed);
  try {
    const steps = 60 + world.random.below(120);
    for (let step = 0; step < steps; step++) {
      world.act();
      await world.time.advance(world.pause());
      world.complain();
    }
    await world.healAndCheck();
    return world.report;
  } catch (error) {
    throw new Violation(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
  } finally {
    world.close();
  }
}

const sealKeys = parseSealKeys(createSealKey());
const organizations = ['north', 'south'];
const proxyCount = 3;
const keyCount = 6;

class World {
  readonly random: Random;
  readonly time = new VirtualTime();
  readonly database: FakeDatabase;
  readonly #controlPlane: FakeControlPlane;
  readonly #redis: FakeRedis;
  readonly #proxies: ModelProxy[] = [];
  readonly #hashes: readonly string[];
  readonly #violations: string[] = [];
  readonly #rollbacks: FakeRedis['values'][] = [];
  #backup: Backup;
  #addresses = 0;
  readonly report = new Map<string, number>();

  constructor(seed: number) {
    this.random = new Random(seed);
    this.database = new FakeDatabase(this.time);
    this.#controlPlane = new FakeControlPlane(this.time, this.database);
    this.#redis = new FakeRedis(this.time);
    this.#redis.readDelay = () => this.random.between(0, 3);
    this.#redis.writeDelay = () => this.random.between(0, 3);
    this.database.createPlatform();
    for (const id of organizations) {
      this.database.createOrganization(id);
      this.database.createSystem(`${id}-system`, id);
    }
    this.#hashes = Array.from({ length: keyCount }, (_, index) => index.toString(16).padStart(64, '0'));
    for (const hash of this.#hashes.slice(0, keyCount / 2)) this.#createKey(hash);
    this.#backup = this.database.backup();
    for (let index = 0; index < proxyCount; index++) this.#proxies.push(this.#startProxy());
  }

  /** Performs one random action. */
  act(): void {
    const { random } = this;
    const roll = random.next();
    if (roll < 0.5) this.#request(random.pick(this.#proxies), random.pick(this.#hashes));
    else if (roll < 0.7) this.#changeDatabase();
    else if (roll < 0.85) random.pick(this.#proxies).disturb(random);
    else if (roll < 0.96) this.#disturbRedis();
    else this.#restart(random.below(proxyCount));
  }

  pause(): number {
    const roll = this.random.next();
    if (roll < 0.3) return 0;
    if (roll < 0.7) return this.random.between(0, 100);
    return roll < 0.95 ? this.random.between(100, 6_000) : this.random.between(6_000, 70_000);
  }

  /**
   * Heals all faults. After a while every existing key must be admitted everywhere with its current state, and no other
   * key.
   */
  async healAndCheck(): Promise<void> {
    this.#redis.readDelay = () => 1;
    this.#redis.writeDelay = () => 1;
    for (const proxy of this.#proxies) proxy.heal();
    await this.time.advance(40_000);
    this.complain();
    for (const proxy of this.#proxies) {
      if (proxy.source.feed().state !== 'live') throw new Violation('the feed does not come back');
      for (const hash of this.#hashes) this.#request(proxy, hash, true);
    }
    await this.time.advance(5_000);
    this.complain();
  }

  complain(): void {
    const [first] = this.#violations;
    if (first !== undefined) throw new Violation(first);
  }

  close(): void {
    for (const proxy of this.#proxies) proxy.source.close();
  }

  #startProxy(): ModelProxy {
    return new ModelProxy({
      time: this.time,
      random: this.random,
      controlPlane: this.#controlPlane,
      redis: this.#redis,
      sealKeys,
      onFailure: (message) => this.#violations.push(message),
      onEvent: (name) => this.#count(name),
    });
  }

  #restart(index: number): void {
    const proxy = this.#proxies[index];
    proxy?.kill();
    this.#proxies[index] = this.#startProxy();
  }

  #request(proxy: ModelProxy, hash: string, mustBeNow = false): void {
    const startedAt = this.time.monotonic();
    const verifier = (respond: () => string | undefined) => {
      if (!proxy.isAlive) return;
      const violation = respond();
      if (violation !== undefined) this.#violations.push(violation);
    };
    this.#addresses += 1;
    proxy.find(hash, `10.0.0.${this.#addresses}`).then(
      (principal) =>
        verifier(() => {
          this.#count('admitted');
          return verifyAdmission({ database: this.database, time: this.time, proxy, hash, mustBeNow }, principal);
        }),
      (error: unknown) =>
        verifier(() => {
          if (!(error instanceof GatewayError)) return `unexpected error: ${error}`;
          if (error.code === 'access_unavailable') {
            this.#count('unavailable');
            return mustBeNow ? 'unavailable though all is well' : undefined;
          }
          if (error.code !== 'access_not_found') return `unexpected refusal: ${error.code}`;
          this.#count('refused');
          return verifyRefusal({ database: this.database, time: this.time, proxy, hash, mustBeNow }, startedAt);
        }),
    );
  }

  #count(name: string): void {
    this.report.set(name, (this.report.get(name) ?? 0) + 1);
  }

  #changeDatabase(): void {
    const { database, random } = this;
    const hash = random.pick(this.#hashes);
    const roll = random.next();
    if (roll < 0.35) {
      if (database.has(hash)) database.remove(hash);
      else this.#createKey(hash);
    } else if (roll < 0.6) database.touch(hash);
    else if (roll < 0.7) database.touch(refOf('organization', random.pick(organizations)));
    else if (roll < 0.73) database.touchOrganizations();
    else if (roll < 0.78) database.touch(platformRef);
    else if (roll < 0.85) database.touch(refOf('ai_system', `${random.pick(organizations)}-system`));
    else if (roll < 0.92) this.#backup = database.backup();
    else if (roll < 0.94) database.prune();
    else if (roll < 0.97) database.restart();
    else database.restore(this.#backup);
  }

  #createKey(hash: string): void {
    const organizationId = this.random.pick(organizations);
    const scopeId = this.random.chance(0.5) ? `${organizationId}-system` : undefined;
    this.database.createKey(hash, { organizationId, scopeId });
  }

  #disturbRedis(): void {
    const { random } = this;
    const redis = this.#redis;
    const names = [...redis.values.keys()];
    switch (random.below(11)) {
      case 0:
        redis.values = new Map();
        return;
      case 1:
        this.#rollbacks.push(new Map(redis.values));
        return;
      case 2:
        if (this.#rollbacks.length > 0) redis.values = new Map(random.pick(this.#rollbacks));
        return;
      case 3:
        redis.readDelay = () => (random.chance(0.5) ? undefined : random.between(0, 50));
        return;
      case 4:
        redis.writeDelay = () => (random.chance(0.3) ? undefined : random.between(0, 60_000));
        return;
      case 5:
        redis.readDelay = () => random.between(0, 3);
        redis.writeDelay = () => random.between(0, 3);
        return;
      case 6:
        if (names.length > 0) this.#replay(random.pick(names), random.pick(names));
        return;
      case 7:
        if (names.length > 0) this.#forge(random.pick(names));
        return;
      default:
        forgeRecord({
          random,
          redis,
          sealKeys,
          subjects: this.#subjects(),
          now: Math.floor(this.time.now()),
        });
    }
  }

  /** Returns all subjects that a record can have, including keys that never existed. */
  #subjects(): readonly Subject[] {
    return [
      ...this.#hashes.map((ref): Subject => ({ kind: 'key', ref })),
      ...organizations.map((id): Subject => ({ kind: 'organization', ref: refOf('organization', id) })),
      ...organizations.map((id): Subject => ({ kind: 'ai_system', ref: refOf('ai_system', `${id}-system`) })),
    ];
  }

  // Writes a current or past value again, in its own location or another one, without expiry.
  #replay(from: string, to: string): void {
    const past = this.random.chance(0.5) && this.#rollbacks.length > 0 && this.random.pick(this.#rollbacks);
    const value = past ? past.get(from) : this.#redis.values.get(from);
    if (value !== undefined) this.#redis.plant(this.random.chance(0.5) ? from : to, value.bytes);
  }

  #forge(name: string): void {
    const bytes = Buffer.from(this.#redis.values.get(name)?.bytes ?? []);
    const at = this.random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << this.random.below(8));
    this.#redis.plant(name, bytes);
  }
}
