// How much of a limit is usable, and how many calls to Redis that costs: steady random load on several proxies over a
// real Redis, with a time of their own.
import { Random } from '../support/access/random.ts';
import { mostWithin } from '../support/limited-callers.ts';
import { newRequests } from '../support/rates.ts';
import { RatesWorld, takeOf } from './rates.world.ts';

export interface AccuracyOptions {
  readonly url: string;
  readonly max: number;
  readonly proxies: number;
  /** Requests of all proxies, as a part of the limit. */
  readonly load: number;
  readonly leases: boolean;
  readonly minutes: number;
}

export interface Accuracy {
  /** Admitted in a minute, as a part of the limit: on average, in the emptiest one and in the fullest. */
  readonly average: number;
  readonly emptiest: number;
  readonly fullest: number;
  readonly callsPerRequest: number;
}

const minuteMs = 60_000;
const stepMs = 10;

export async function measureAccuracy(options: AccuracyOptions): Promise<Accuracy> {
  const { url, max, load, minutes } = options;
  const world = await RatesWorld.open(url);
  const random = new Random(1);
  const limit = newRequests(max);
  const proxies = Array.from({ length: options.proxies }, () => world.newProxy({ leases: options.leases }));
  const times: number[] = [];
  const start = world.time.monotonic();
  const request = async () => {
    const decision = await takeOf(random.pick(proxies), [limit]);
    if (decision?.reservation !== undefined) times.push(world.time.monotonic() - start);
  };
  let [requests, calls] = [0, 0];
  const sumOfCalls = () => proxies.reduce((sum, proxy) => sum + proxy.calls, 0);
  // The first minute finds the limit unused.
  for (let ms = 0; ms < (minutes + 1) * minuteMs; ms += stepMs) {
    if (ms === minuteMs) [requests, calls] = [0, sumOfCalls()];
    await world.step(stepMs);
    for (let left = arrivals(random, (max * load * stepMs) / minuteMs); left > 0; left--) {
      requests++;
      void request();
    }
    await world.settled();
  }
  const result = { ...minutesOf(times, max, minutes), callsPerRequest: (sumOfCalls() - calls) / requests };
  world.close();
  return result;
}

function minutesOf(times: readonly number[], max: number, minutes: number): Omit<Accuracy, 'callsPerRequest'> {
  const within = (from: number) => times.filter((time) => time >= from && time < from + minuteMs).length;
  const starts = Array.from({ length: (minutes - 1) * 60 + 1 }, (_, second) => minuteMs + second * 1_000);
  return {
    average: times.filter((time) => time >= minuteMs).length / minutes / max,
    emptiest: Math.min(...starts.map(within)) / max,
    fullest: mostWithin(times, minuteMs) / max,
  };
}

/** Poisson: independent callers. */
function arrivals(random: Random, mean: number): number {
  let count = 0;
  for (let left = random.next(); left > Math.exp(-mean); left *= random.next()) count++;
  return count;
}
