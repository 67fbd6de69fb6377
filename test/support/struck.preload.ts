// Loaded before a program of the project (node --import): at SIGUSR2 it sets the program's wall clock or breaks its
// source of randomness, as the file named in STRIKES says. It simulates what only a kernel can do; the program itself
// is unchanged.
import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export interface Strikes {
  /** Added to the wall clock. */
  readonly clockMs?: number;
  /** No random bytes are available. */
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
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
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
