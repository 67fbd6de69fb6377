// In front of a program of the project (node --import): its wall clock is set, or its source of randomness fails, as the file named in
// STRIKES says whenever the program gets SIGUSR2. Stands in for what only a kernel can do; the program runs as it is.
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface Strikes {
  /** Added to the wall clock. */
  readonly clockMs?: number;
  /** Nothing random is to be had. */
  readonly noEntropy?: boolean;
}

let strikes: Strikes = {};
const { STRIKES: file = '' } = process.env;
process.on('SIGUSR2', () => {
  strikes = JSON.parse(readFileSync(file, 'utf8')) as Strikes;
});

const realNow = Date.now;
const now = () => realNow() + (strikes.clockMs ?? 0);
const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

const random = ['randomBytes', 'randomFillSync', 'randomInt', 'randomUUID'] as const;
for (const name of random) {
  const real = crypto[name] as (...given: unknown[]) => unknown;
  Object.defineProperty(crypto, name, {
    value: (...given: unknown[]) => {
      if (strikes.noEntropy === true) throw new Error(`${name}: the system has no randomness to give`);
      return real(...given);
    },
  });
}
syncBuiltinESMExports();
