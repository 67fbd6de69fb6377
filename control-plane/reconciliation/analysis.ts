// Splits the difference of a cell's two sides into tokens and price. The value of the billed tokens comes from requests
// that were recorded with complete usage, so it includes tiers, regions and the organization's own prices.
import type { Billed, Cell, RecordedUsage } from './cells.ts';
import { type PriceInForce, type Rates, worthAt } from './prices.ts';
import { noTokens, type Tokens } from './tokens.ts';

/** A difference counts only if it exceeds both. */
export interface Bound {
  /** In hundredths of a percent, of the larger side. */
  readonly percent: number;
  /** In nano-dollars. */
  readonly least: number;
}

export interface Analysis {
  readonly cell: Cell;
  readonly price: PriceInForce | undefined;
  /** Billed cost less ledger cost, in nano-dollars. If the bill has no cost, the value of its tokens is used. */
  readonly drift: number;
  /**
   * The parts that come from different tokens, and from a different price of the same tokens. Undefined if no document
   * reports tokens.
   */
  readonly parts: { readonly quantity: number; readonly price: number } | undefined;
}

export function analyse(
  cell: Cell,
  says: { readonly tokens: boolean; readonly cost: boolean },
  price: PriceInForce | undefined,
): Analysis {
  const { billed, ledger } = cell;
  if (cell.kind !== 'usage') return { cell, price, drift: billed.cost ?? 0, parts: undefined };
  const cost = says.cost ? (billed.cost ?? 0) : undefined;
  const expected = says.tokens ? worthHere(billed.tokens ?? noTokens, ledger, price) : undefined;
  if (cost === undefined) {
    const quantity = expected === undefined ? 0 : expected - ledger.cost;
    return { cell, price, drift: quantity, parts: { quantity, price: 0 } };
  }
  const drift = cost - ledger.cost;
  if (expected === undefined) return { cell, price, drift, parts: undefined };
  return { cell, price, drift, parts: { quantity: expected - ledger.cost, price: cost - expected } };
}

/** Whether a difference between two sums counts. */
export function isBeyond(drift: number, larger: number, { percent, least }: Bound): boolean {
  const size = Math.abs(drift);
  return size > least && size * 10_000 > percent * larger;
}

export function largerSide({ cost = 0 }: Pick<Billed, 'cost'>, ledger: Pick<RecordedUsage, 'cost'>): number {
  return Math.max(Math.abs(cost), Math.abs(ledger.cost));
}

/** The usual ratios of the kinds of tokens at most vendors, used if no price is known. */
const usualRates: Rates = { input: 4, output: 16, cacheRead: 0.4, cacheWrite: 5, cacheWrite1h: 8 };

function worthHere(tokens: Tokens, { complete }: RecordedUsage, price: PriceInForce | undefined): number | undefined {
  const rates = price?.rates ?? usualRates;
  const atRates = worthAt(rates, complete.tokens);
  if (complete.cost > 0 && atRates > 0) return Math.round((worthAt(rates, tokens) * complete.cost) / atRates);
  return price === undefined ? undefined : Math.round(worthAt(price.rates, tokens));
}
