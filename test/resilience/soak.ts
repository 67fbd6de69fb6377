// Half of the capacity for a long time, with streams and callers who leave: memory and descriptors of a proxy and its
// control plane do not grow. A leak is memory that collections of garbage do not free, so that is measured; the resident
// memory also contains garbage and free parts of the heap, whose size follows the load.
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMiB } from '../bench/cores.ts';
import { Random } from '../support/access/random.ts';
import type { ServerSource } from '../support/containers.ts';
import { Pace } from '../support/pace.ts';
import { createRetained, type Retained } from '../support/retained.ts';
import { call, forms } from './clients.ts';
import type { Report } from './outage.ts';
import { type Program, startWorld } from './world.ts';

export interface SoakOptions {
  readonly minutes: number;
  readonly source?: ServerSource;
  readonly log: (line: string) => void;
}

export interface Sample {
  readonly minute: number;
  readonly residentMiB: number;
  /** After a collection of garbage; absent in most samples. */
  readonly retainedMiB?: number;
  readonly descriptors: number;
}

const capacitySeconds = 8;
const loops = 12;
const sampleMs = 2_000;
/** Garbage is collected at every so manieth sample. */
const retainedEvery = 15;
/** Memory grows until caches and the heap have their size. */
const warmUpPart = 1 / 3;
/** Part of its memory that a program may grow in a minute, beyond the error of the measurement: 3 % in half an hour. */
const retainedGrowthMax = 0.001;
/** Garbage and free parts of the heap follow the load, also that of others on the machine: 15 % in half an hour. */
const residentGrowthMax = 0.005;
/** On a machine that is slower than this, calls fail by the time limits of the gateway itself. */
const slownessMax = 5;
const descriptorsMore = 10;

export async function runSoak({ minutes, source, log }: SoakOptions): Promise<Report> {
  const world = await startWorld(source);
  try {
    const retained = { proxy: createRetained(), plane: createRetained() };
    for (const one of Object.values(retained)) world.onClose(() => one.remove());
    const plane = await world.startControlPlane(retained.plane.environment, retained.plane.options);
    world.onClose(() => plane.child.stop());
    const env = { ...retained.proxy.environment, GATEWAY_CONTROL_PLANE: `127.0.0.1:${plane.ports.grpc_port}` };
    const proxy = await world.startProxy(env, retained.proxy.options);
    const { organization } = await world.createTenant('soak');
    const calling = { url: proxy.url, key: (await organization.createKey()).value };
    const capacity = await capacityOf(calling);
    log(`capacity: ${capacity.toFixed(0)} requests/s by ${loops} callers; from here on half of it`);
    const traffic = startHalf(calling, capacity / 2);
    const programs = [
      { name: 'proxy', program: proxy, retained: retained.proxy },
      { name: 'control plane', program: plane, retained: retained.plane },
    ];
    const pace = new Pace(() => programs.map(({ program }) => program.child.pid));
    world.onClose(() => pace.stop());
    const begun = performance.now();
    const samples = await sampled(programs, minutes, log);
    const slowness = pace.factor(begun, performance.now());
    const outcomes = await traffic.stop();
    const figures = [...samples].map(([name, of]) => ({ name, ...growthOf(of) }));
    return {
      lines: [
        ...figures.map(lineOf),
        `calls: ${JSON.stringify(outcomes)}`,
        `programs took ${slowness.toFixed(1)} times as long as on an idle machine`,
      ],
      faults: [...figures.flatMap(faultsOfGrowth), ...(slowness < slownessMax ? faultsOfOutcomes(outcomes) : [])],
    };
  } finally {
    await world.close();
  }
}

type Target = { readonly url: string; readonly key: string };

function once({ url, key }: Target, random: Random) {
  const plan = { words: 5 + random.below(40), prompt: 10, completion: 20, pieceDelayMs: random.chance(0.3) ? 5 : 0 };
  const leavesAfterMs = random.chance(0.1) ? random.below(60) : undefined;
  const leaves = leavesAfterMs === undefined ? {} : { leavesAfterMs };
  return call({ url, key, model: 'fast', form: random.pick(forms), plan, ...leaves });
}

async function capacityOf(target: Target): Promise<number> {
  let count = 0;
  const until = performance.now() + capacitySeconds * 1_000;
  const loop = async (seed: number) => {
    const random = new Random(seed);
    for (; performance.now() < until; count++) await once(target, random);
  };
  await Promise.all(Array.from({ length: loops }, (_, index) => loop(index + 1)));
  return count / capacitySeconds;
}

function startHalf(target: Target, perSecond: number) {
  const counts: Record<string, number> = {};
  const underWay = new Set<Promise<void>>();
  const random = new Random(1);
  let stopped = false;
  const running = (async () => {
    for (let sent = 0, begun = performance.now(); !stopped; sent++) {
      await sleep(Math.max(0, begun + (sent * 1_000) / perSecond - performance.now()));
      // A busy machine gets no extra load.
      while (underWay.size > 4 * loops) await Promise.race(underWay);
      const one: Promise<void> = once(target, random).then(({ outcome }) => {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        underWay.delete(one);
      });
      underWay.add(one);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await running;
      await Promise.all(underWay);
      return counts;
    },
  };
}

interface Watched {
  readonly name: string;
  readonly program: Program;
  readonly retained: Retained;
}

async function sampled(
  programs: readonly Watched[],
  minutes: number,
  log: (line: string) => void,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const begun = performance.now();
  const all = new Map(programs.map(({ name }) => [name, [] as Sample[]]));
  for (let count = 0, minute = 0; minute < minutes; count++, minute = (performance.now() - begun) / 60_000) {
    const isCollected = count % retainedEvery === retainedEvery - 1;
    for (const { name, program, retained } of programs) {
      const { pid } = program.child;
      // Read before the collection, which makes it smaller.
      const sample = { minute, residentMiB: residentMiB(pid), descriptors: readdirSync(`/proc/${pid}/fd`).length };
      const retainedMiB = isCollected ? await retained.measure(program.child) : undefined;
      all.get(name)?.push({ ...sample, ...(retainedMiB !== undefined && { retainedMiB }) });
    }
    if (isCollected && count % 30 === 29) log(`minute ${minute.toFixed(1)}: ${[...all].map(nowOf).join(', ')}`);
    await sleep(sampleMs);
  }
  return all;
}

function nowOf([name, samples]: readonly [string, readonly Sample[]]): string {
  const { residentMiB: resident = 0, retainedMiB = 0 } = samples.at(-1) ?? {};
  return `${name} ${resident.toFixed(1)} MiB, ${retainedMiB.toFixed(1)} of them retained`;
}

/** A line through points, by linear regression. */
export interface Slope {
  readonly points: number;
  readonly mean: number;
  /** In a minute. */
  readonly slope: number;
  /** Standard error of the slope. */
  readonly error: number;
}

export interface Growth {
  /** Of MiB, after the warm-up. */
  readonly resident: Slope;
  readonly retained: Slope;
  /** Means of the first and the last fifth after the warm-up. */
  readonly descriptors: { readonly first: number; readonly last: number };
}

export function growthOf(all: readonly Sample[]): Growth {
  const samples = all.slice(Math.floor(all.length * warmUpPart));
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const descriptors = samples.map((one) => one.descriptors);
  return {
    resident: slopeOf(samples.map(({ minute, residentMiB: value }) => ({ minute, value }))),
    retained: slopeOf(
      samples.flatMap(({ minute, retainedMiB: value }) => (value === undefined ? [] : [{ minute, value }])),
    ),
    descriptors: { first: mean(descriptors.slice(0, fifth)), last: mean(descriptors.slice(-fifth)) },
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}

function slopeOf(points: readonly { readonly minute: number; readonly value: number }[]): Slope {
  const meanMinute = mean(points.map(({ minute }) => minute));
  const meanValue = mean(points.map(({ value }) => value));
  const spread = points.reduce((sum, { minute }) => sum + (minute - meanMinute) ** 2, 0);
  const covered = points.reduce((sum, one) => sum + (one.minute - meanMinute) * (one.value - meanValue), 0);
  const slope = covered / spread;
  const residual = points.reduce(
    (sum, one) => sum + (one.value - meanValue - slope * (one.minute - meanMinute)) ** 2,
    0,
  );
  const error = Math.sqrt(residual / Math.max(1, points.length - 2) / spread);
  return { points: points.length, mean: meanValue, slope, error };
}

type Named = Growth & { readonly name: string };

export function faultsOfGrowth({ name, resident, retained, descriptors }: Named): readonly string[] {
  const faults: string[] = [];
  if (!isWithin(retained, retainedGrowthMax))
    faults.push(`the ${name} retains ${retained.slope.toFixed(3)} MiB more each minute`);
  if (!isWithin(resident, residentGrowthMax))
    faults.push(`the memory of the ${name} grows by ${resident.slope.toFixed(3)} MiB a minute`);
  const { first, last } = descriptors;
  if (!(last <= first + descriptorsMore))
    faults.push(`the ${name} has ${last.toFixed(0)} descriptors, before ${first.toFixed(0)}`);
  return faults;
}

function isWithin({ slope, error, mean: size }: Slope, growthMax: number): boolean {
  return slope - 2 * error <= growthMax * size;
}

function faultsOfOutcomes(outcomes: Readonly<Record<string, number>>): readonly string[] {
  const bad = Object.keys(outcomes).filter((outcome) => outcome !== '200' && outcome !== 'left');
  return bad.map((outcome) => `${outcomes[outcome]} calls ended with ${outcome}`);
}

function lineOf({ name, resident, retained, descriptors }: Named): string {
  const { first, last } = descriptors;
  return (
    `${name}: resident ${inWords(resident, residentGrowthMax)}; retained ${inWords(retained, retainedGrowthMax)}; ` +
    `descriptors ${first.toFixed(0)} → ${last.toFixed(0)}`
  );
}

function inWords({ points, mean: size, slope, error }: Slope, growthMax: number): string {
  const bound = (growthMax * size).toFixed(3);
  const measured = `slope ${slope.toFixed(3)} ± ${(2 * error).toFixed(3)} MiB a minute over ${points} samples`;
  return `${size.toFixed(1)} MiB, ${measured} (bound ${bound})`;
}
