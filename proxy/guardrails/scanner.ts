// Where texts are scanned: here, as long as nobody notices; longer ones in a worker; the longest nowhere. What could not be scanned
// has failed, for each guardrail, and its failure rule decides.
import type { CompiledGuardrail } from './compiled.ts';
import { stringsOf, type Texts } from './judge.ts';
import type { Slot } from './places.ts';
import { type Scanned, scan } from './scan.ts';
import type { WorkerPool } from './worker-pool.ts';

/** UTF-16 units of all texts of one request, or of one answer, together: more are not inspected. */
export const textMax = 1024 * 1024;
/** More than this, or what may take longer, is for a worker. */
const lengthHereMax = 128 * 1024;
/** For the text that costs most; for all others a tenth of it and less. */
export const nsHereMax = 10_000_000;
/** What a text costs each matcher, however short it is; in characters. */
const textOverhead = 32;

export interface ScannerDeps {
  readonly pool: Pick<WorkerPool, 'scan'>;
  /** UTF-16 units: see guardrails/matcher.ts. */
  readonly window: number;
}

export class Scanner {
  readonly #deps: ScannerDeps;

  constructor(deps: ScannerDeps) {
    this.#deps = deps;
  }

  get window(): number {
    return this.#deps.window;
  }

  scan(compiled: readonly CompiledGuardrail[], texts: Texts): Scanned | Promise<Scanned> {
    if (compiled.length === 0) return nothing;
    const { pool, window } = this.#deps;
    const strings = stringsOf(texts);
    if (isQuick(compiled, strings)) {
      return scan(
        compiled.map(({ matcher }) => matcher),
        strings,
        window,
      );
    }
    const guardrails = compiled.map(({ guardrail: { id, revision, check } }) => ({ id, revision, check }));
    return pool.scan({ guardrails, texts: strings, window }).catch(() => allFailed(compiled));
  }
}

export function isTooLong(slots: readonly Slot[]): boolean {
  return slots.reduce((sum, { text }) => sum + text.length, 0) > textMax;
}

const nothing: Scanned = { hits: [], failed: [] };

function allFailed(compiled: readonly CompiledGuardrail[]): Scanned {
  return { hits: [], failed: [...compiled.keys()] };
}

function isQuick(compiled: readonly CompiledGuardrail[], strings: readonly string[]): boolean {
  const length = lengthOf(strings);
  const cost = compiled.reduce((sum, { matcher }) => sum + matcher.cost, 0);
  return length <= lengthHereMax && cost * (length + textOverhead * strings.length) <= nsHereMax;
}

function lengthOf(strings: readonly string[]): number {
  return strings.reduce((sum, { length }) => sum + length, 0);
}
