// A run of chaos: callers continue while every program is killed in turn; then all restart and come to rest, and the
// ledger is checked.
import { Redis } from 'ioredis';
import { nameInShard, shardCount } from '../../proxy/redis/shards.ts';
import type { ServerSource } from '../support/containers.ts';
import { until, untilDone } from '../support/process.ts';
import { recordedRequests } from '../support/recorded.ts';
import { record } from '../support/recorder.ts';
import { tally } from '../support/spending.ts';
import { faultsOfTags } from '../support/tagged-usage.ts';
import { metric } from '../support/telemetry.ts';
import { type Calling, startCallers } from './ledger.callers.ts';
import { type Audit, Auditor, startAudit } from './ledger.state.ts';
import { type Absence, planFinale, planStrikes, strike } from './ledger.strikes.ts';
import { type UnreportedCall, type Verdict, verify } from './ledger.verifier.ts';
import { startWorld, type World } from './ledger.world.ts';

export interface ChaosOptions {
  readonly source: ServerSource;
  readonly seed: number;
  readonly seconds: number;
  readonly proxies: number;
  readonly controlPlanes: number;
  readonly callers: number;
  /** The longest time between two kills. Default 2,400. */
  readonly pauseMsMax?: number;
  /** Whether to wait until the control plane expires the leases of killed proxies, a minute after their last call. */
  readonly waitsForExpiry: boolean;
  readonly log: (line: string) => void;
}

export interface Chaos {
  readonly verdict: Verdict;
  readonly audit: Audit;
  readonly absences: readonly Absence[];
  /** The number of calls by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Nano-dollars of all budgets at the end. */
  readonly leased: number;
  readonly unconfirmed: number;
}

export async function runChaos(options: ChaosOptions): Promise<Chaos> {
  const { source, seed, seconds, proxies, controlPlanes, pauseMsMax = 2_400, log } = options;
  log(`chaos with seed ${seed} for ${seconds} s`);
  const strikes = planStrikes({ victims: proxies + controlPlanes + 2, seconds, seed, pauseMsMax });
  const world = await startWorld({ source, proxies, controlPlanes, runsMax: strikes.length + 1 });
  const auditor = new Auditor(world.postgres.url);
  try {
    const witnessed = record(world.simulator);
    const watched = startAudit(auditor);
    const calling = startCallers(world, options);
    await served(world, calling, 'before the first kill');
    const blows = await strike(world.victims, strikes, log);
    log('and finally, with new counts:');
    const absences = [...blows, ...(await strike(world.victims, planFinale(world.victims.length), log))];
    await served(world, calling, 'after the last kill');
    await calling.stop();
    const rested = await rest(world, auditor, options).then(
      () => [],
      (error: Error) => [error.message],
    );
    const audit = await watched.stop();
    const windows = await auditor.windows();
    const recordings = await Promise.all(world.organizations.map((each) => exported(world, each)));
    const evidence = { calls: calling.calls, witnessed, recorded: recordings.flat(), windows, absences };
    const verdict = verify({ ...evidence, reserved: await auditor.reserved() });
    const tags = await Promise.all(world.organizations.map((each, nth) => faultsOfTags(each, recordings[nth] ?? [])));
    const outcomes = tally(calling.calls.map(({ outcome }) => outcome));
    const sums = { leased: sumOf(windows, 'leased'), unconfirmed: sumOf(windows, 'unconfirmed') };
    const faults = [...rested, ...verdict.faults, ...audit.faults, ...tags.flat()];
    if (faults.length > 0) for (const complaint of world.complaints()) log(JSON.stringify(complaint));
    return { verdict: { ...verdict, faults }, audit, absences, outcomes, ...sums };
  } catch (error) {
    console.log(['the run failed', ...world.states()].join('\n'));
    throw error;
  } finally {
    await auditor.close();
    await world.close();
  }
}

const callsOfEach = 15;

/** Waits until callers got responses from each proxy: on a slow machine later, but as many. */
async function served({ proxies }: World, { calls }: Calling, when: string): Promise<void> {
  const from = calls.length;
  const responses = ({ run }: World['proxies'][number]) =>
    calls.slice(from).filter((call) => call.run === run && call.outcome === '200').length;
  await until(() => proxies.every((proxy) => responses(proxy) >= callsOfEach), {
    ...{ timeoutMs: 120_000, what: `${callsOfEach} responses of each proxy ${when}` },
  });
}

function exported({ operatorPort }: World, organization: World['organizations'][number]) {
  const exports = () => recordedRequests({ controlPlane: { httpPort: operatorPort }, organization });
  return untilDone(exports, { what: 'a control plane that exports usage after the last kill' });
}

function sumOf<Field extends string>(rows: readonly Readonly<Record<Field, number>>[], field: Field): number {
  return rows.reduce((sum, row) => sum + row[field], 0);
}

/** Waits until proxies have reported everything and have no leases, and Redis is empty. */
async function rest(world: World, auditor: Auditor, { waitsForExpiry }: ChaosOptions): Promise<void> {
  const { proxies, redis } = world;
  const unreported = async () =>
    Math.max(...(await Promise.all(proxies.map((proxy) => metric(proxy, 'gateway_usage_queued_events')))));
  await until(async () => (await unreported()) === 0, {
    timeoutMs: 60_000,
    what: 'proxies to report everything',
  });
  await until(async () => (await waitingIn(redis.url)) === 0, {
    timeoutMs: 60_000,
    what: 'usage in Redis to be reported',
  });
  const living = new Set(proxies.map(({ run }) => run?.tokenId));
  const leases = async () => (await auditor.reserved()).filter(({ open }) => open > 0);
  await until(async () => !(await leases()).some(({ tokenId }) => living.has(tokenId)), {
    timeoutMs: 60_000,
    what: 'leases to be released',
  });
  if (!waitsForExpiry) return;
  await until(async () => (await leases()).length === 0, {
    timeoutMs: 120_000,
    what: 'leases of killed proxies to expire',
  });
}

async function waitingIn(redisUrl: string): Promise<number> {
  const client = new Redis(redisUrl);
  try {
    const shards = Array.from({ length: shardCount }, (_, shard) => nameInShard('usage:1', shard, 'events'));
    const lengths = await Promise.all(shards.map((name) => client.xlen(name)));
    return lengths.reduce((sum, length) => sum + length, 0);
  } finally {
    client.disconnect();
  }
}

/** Summarizes a run, line by line. */
export function linesOf({ verdict, audit, absences, outcomes, ...sums }: Chaos): readonly string[] {
  const kills = [...Map.groupBy(absences, ({ name }) => name)].map(([name, of]) => `${name} ${of.length}`);
  return [
    `kills: ${kills.toSorted().join(', ')}`,
    `callers saw ${JSON.stringify(outcomes)}`,
    `responses that are recorded once, with the reported usage: ${verdict.recorded}`,
    `responses that a killed proxy did not report, with their cost still in its leases: ${inWords(verdict.reserved)}`,
    `responses without a budget that a killed proxy did not report, lost as documented: ${inWords(verdict.lost)}`,
    `of both, with database and control planes available from two seconds before on: ${inWords(verdict.calm)}`,
    `ledger read ${audit.samples} times; at the end leased ${usd(sums.leased)}, unconfirmed ${usd(sums.unconfirmed)}`,
    verdict.faults.length === 0 ? 'every promise is kept' : `${verdict.faults.length} FAULTS`,
    ...verdict.faults.slice(0, 50),
  ];
}

function inWords({ requests, cost, oldestMs }: UnreportedCall): string {
  return requests === 0 ? 'none' : `${requests}, ${usd(cost)}, at most ${oldestMs} ms before the kill`;
}

function usd(nano: number): string {
  return `$${(nano / 1_000_000_000).toFixed(4)}`;
}
