// Samples floods of equal refusals: of one key, error code and limit or guardrail, the first rows of an interval pass, and
// one row at its end represents all others. The sum of what the rows represent is the exact number of requests.
import type { RequestRow } from './request-row.ts';

/** Rows of one kind that pass in an interval. */
export const passedMax = 10;
/** At more kinds than this the interval ends early. */
const kindsMax = 10_000;

interface Kind {
  passed: number;
  /** The newest row of those that did not pass, with their number. */
  rest: RequestRow | undefined;
}

export class RefusalSampler {
  readonly #kinds = new Map<string, Kind>();

  /** @returns whether the row is to be reported; if not, another one will represent it */
  passes(row: RequestRow): boolean {
    const key = `${row.organizationId} ${row.keyId} ${row.errorCode} ${row.limitId || row.guardrailId}`;
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = { passed: 0, rest: undefined };
      this.#kinds.set(key, kind);
    }
    if (kind.passed < passedMax) {
      kind.passed++;
      return true;
    }
    row.represents += kind.rest?.represents ?? 0;
    kind.rest = row;
    return false;
  }

  get isFull(): boolean {
    return this.#kinds.size >= kindsMax;
  }

  /** Ends the interval. @returns the rows that represent others */
  end(): readonly RequestRow[] {
    const rest = [...this.#kinds.values()].flatMap((kind) => kind.rest ?? []);
    this.#kinds.clear();
    return rest;
  }
}
