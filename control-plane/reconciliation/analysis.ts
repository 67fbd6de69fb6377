// How far the two sides of a cell are apart, and how much of that is tokens and how much their price. What the billed tokens would have
// cost here is told from the requests that were booked by complete usage: so tiers, regions and an organization's own prices are in it.
import type { Billed, Booked, Cell } from './cells.ts';
import { type PriceInForce, type Rates, worthAt } from './prices.ts';
import { noTokens, type Tokens } from './tokens.ts';

/** A difference counts only above both. */
export interface Bound {
  /** In hundredths of a percent, of the larger side. */
  readonly percent: number;
  /** Nano-dollars. */
  readonly least: number;
}

export interface Analysis {
  readonly cell: Cell;
  readonly price: PriceInForce | undefined;
  /** Billed, less ledger: nano-dollars. Without a cost on the bill that of its tokens. */
  readonly drift: number;
  /** The part that is due to other tokens, and to another price of the same tokens. Undefined where no document says tokens. */
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

export function largerSide({ cost = 0 }: Pick<Billed, 'cost'>, ledger: Pick<Booked, 'cost'>): number {
  return Math.max(Math.abs(cost), Math.abs(ledger.cost));
}

/** How the kinds of tokens compare at most vendors, where no price is known. */
const usualRates: Rates = { input: 4, output: 16, cacheRead: 0.4, cacheWrite: 5, cacheWrite1h: 8 };

function worthHere(
  tokens: Tokens,
  { complete }: Booked,
  price: PriceInForce | undefined,
): number | undefined {
  const rates = price?.rates ?? usualRates;
  const atRates = worthAt(rates, complete.tokens);
  if (complete.cost > 0 && atRates > 0) return Math.round((worthAt(rates, tokens) * complete.cost) / atRates);
  return price === undefined ? undefined : Math.round(worthAt(price.rates, tokens));
}
