// What a token costs: prices per million tokens, parsed once from decimal strings into whole pico-dollars per token.
import type { Usage } from '../../chat/usage.ts';

/** Compiled prices of one model at one place. */
export interface Prices {
  /** Nano-dollars, rounded up once. */
  costOf(usage: Usage): number;
  /** Pico-dollars of the dearest token that a prompt can hold, in any tier. */
  readonly dearestInput: number;
  /** The same of the output. */
  readonly dearestOutput: number;
}
