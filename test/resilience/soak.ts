// Half of the capacity for a long time, with streams and callers who leave: memory and descriptors of a proxy and its
// control plane do not grow.
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMiB } from '../bench/cores.ts';
import { Random } from '../support/access/random.ts';
import type { ServerSource } from '../support/containers.ts';
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
  readonly descriptors: number;
}

const capacitySeconds = 8;
const loops = 12;
const sampleMs = 2_000;
/** Memory grows until caches and the heap have their size. */
const warmUpPart = 1 / 3;
/** Part of its memory that a program may grow in a minute, beyond the error of the measurement: 3 % in half an hour. */
const growthMax = 0.001;
const descriptorsMore = 10;

export async function runSoak({ minutes, source, log }: SoakOptions): Promise<Report> {
  const world = await startWorld(source);
  try {
    const proxy = await world.startProxy();
    const { organization } = await world.createTenant('soak');
    const calling = { url: proxy.url, key: (await organization.createKey()).value };
    const capacity = await capacityOf(calling);
    log(`capacity: ${capacity.toFixed(0)} requests/s by ${loops} callers; from here on half of it`);
    const traffic = startHalf(calling, capacity / 2);
    const programs = { proxy, 'control plane': world.controlPlane };
    const samples = await sampled(programs, minutes, log);
    const outcomes = await traffic.stop();
    const figures = Object.entries(samples).map(([name, of]) => ({ name, ...growthOf(of) }));
    return {
      lines: [...figures.map(lineOf), `calls: ${JSON.stringify(outcomes)}`],
      faults: [...figures.flatMap(faultsOfGrowth), ...faultsOfOutcomes(outcomes)],
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

async function sampled<Name extends string>(
  programs: Readonly<Record<Name, Program>>,
  minutes: number,
  log: (line: string) => void,
): Promise<Readonly<Record<Name, readonly Sample[]>>> {
  const begun = performance.now();
  const entries = Object.entries<Program>(programs).map(([name, program]) => ({
    name,
    program,
    samples: [] as Sample[],
  }));
  for (let minute = 0; minute < minutes; minute = (performance.now() - begun) / 60_000) {
    for (const { program, samples } of entries) {
      const { pid } = program.child;
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      samples.push({ minute, residentMiB: residentMiB(pid), descriptors });
    }
    if (entries[0] !== undefined && entries[0].samples.length % 60 === 0) {
      const now = entries.map(({ name, samples }) => `${name} ${samples.at(-1)?.residentMiB.toFixed(1)} MiB`);
      log(`minute ${minute.toFixed(1)}: ${now.join(', ')}`);
    }
    await sleep(sampleMs);
  }
  return Object.fromEntries(entries.map(({ name, samples }) => [name, samples])) as unknown as Record<Name, Sample[]>;
}

export interface Growth {
  readonly samples: number;
  readonly meanMiB: number;
  /** MiB a minute, by linear regression after the warm-up. */
  readonly slope: number;
  /** Standard error of the slope. */
  readonly error: number;
  /** Means of the first and the last fifth after the warm-up. */
  readonly descriptors: { readonly first: number; readonly last: number };
}

export function growthOf(all: readonly Sample[]): Growth {
  const samples = all.slice(Math.floor(all.length * warmUpPart));
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const meanMinute = mean(samples.map(({ minute }) => minute));
  const meanMiB = mean(samples.map((one) => one.residentMiB));
  const spread = samples.reduce((sum, { minute }) => sum + (minute - meanMinute) ** 2, 0);
  const covered = samples.reduce((sum, one) => sum + (one.minute - meanMinute) * (one.residentMiB - meanMiB), 0);
  const slope = covered / spread;
  const residual = samples.reduce(
    (sum, one) => sum + (one.residentMiB - meanMiB - slope * (one.minute - meanMinute)) ** 2,
    0,
  );
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const descriptors = samples.map((one) => one.descriptors);
  return {
    ...{ samples: samples.length, meanMiB, slope },
    error: Math.sqrt(residual / Math.max(1, samples.length - 2) / spread),
    descriptors: { first: mean(descriptors.slice(0, fifth)), last: mean(descriptors.slice(-fifth)) },
  };
}

type Named = Growth & { readonly name: string };

export function faultsOfGrowth({ name, meanMiB, slope, error, descriptors }: Named): readonly string[] {
  const faults: string[] = [];
  if (!(slope - 2 * error <= growthMax * meanMiB))
    faults.push(`the memory of the ${name} grows by ${slope.toFixed(3)} MiB a minute`);
  const { first, last } = descriptors;
  if (!(last <= first + descriptorsMore))
    faults.push(`the ${name} has ${last.toFixed(0)} descriptors, before ${first.toFixed(0)}`);
  return faults;
}

function faultsOfOutcomes(outcomes: Readonly<Record<string, number>>): readonly string[] {
  const bad = Object.keys(outcomes).filter((outcome) => outcome !== '200' && outcome !== 'left');
  return bad.map((outcome) => `${outcomes[outcome]} calls ended with ${outcome}`);
}

function lineOf({ name, samples, meanMiB, slope, error, descriptors }: Named): string {
  const bound = (growthMax * meanMiB).toFixed(3);
  return (
    `${name}: ${meanMiB.toFixed(1)} MiB, slope ${slope.toFixed(3)} ± ${(2 * error).toFixed(3)} MiB a minute over ${samples} samples ` +
    `(bound ${bound}), descriptors ${descriptors.first.toFixed(0)} → ${descriptors.last.toFixed(0)}`
  );
}
