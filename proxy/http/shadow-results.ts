// What metrics count of copies of requests: endings and reasons by name. Apart from the code that has them, so that a
// sidecar, which has the same metrics, does not load that code.
import type { NotCopied } from './shadow-call.ts';

/** What became of copies that were sent. `failed`: refused by the vendor, or cut. */
export const shadowEndings = ['responded', 'failed', 'timed_out', 'shutdown'] as const;
/**
 * Why a request was not copied. `no_budget`: no budget is for the route's copies. `no_money`: it has too little.
 * `no_price`: the model has none. `no_room`: too many copies.
 */
export const notSent = [
  ...(['no_budget', 'no_money', 'no_price', 'no_room'] as const),
  ...(['not_allowed', 'no_target', 'stopped', 'unfit'] as const satisfies readonly NotCopied[]),
] as const;

export type ShadowEnding = (typeof shadowEndings)[number];
export type NotSent = (typeof notSent)[number];
