// Explains why a bill and the ledger differ. Each reason accounts for the amount that it has evidence of and no more,
// the most certain reason first, until the rest is within the bound. An amount without a reason stays unexplained.
// Pure.
import { aList, aNumber, aRecord, aString, aWord } from '../../common/json-shape.ts';
import { usdOfNano } from '../../common/money.ts';
import { type DriftReasonCode, driftReasonCodes } from '../../proto/words/money.ts';
import { type Analysis, type Bound, isBeyond, largerSide } from './analysis.ts';
import type { Cell } from './cells.ts';
import { countOf, noTokens, type Tokens } from './tokens.ts';

export interface Reason {
  readonly code: DriftReasonCode;
  /** In nano-dollars, with the sign of the difference. */
  readonly amount: number;
  readonly detail: string;
}

/** The stored form of reasons. */
export const theReasons = aList(
  aRecord<Reason>({ code: aWord(driftReasonCodes.words), amount: aNumber, detail: aString }),
);

export interface Explained {
  readonly reasons: readonly Reason[];
  readonly unexplained: number;
}

/** Facts from outside the cell. */
export interface Surroundings {
  readonly bound: Bound;
  /** Why the bill may still change; undefined if it is final. */
  readonly preliminary: string | undefined;
  /** The name of another provider key with the opposite difference. */
  readonly counterpart: string | undefined;
  /** The day with the opposite difference. */
  readonly neighbour: string | undefined;
}

/** @param left the remaining difference after adjustments, in nano-dollars */
export function explain(analysis: Analysis, left: number, around: Surroundings): Explained {
  const account = new Account(analysis, left, around.bound);
  for (const find of finders) {
    if (account.isSettled) break;
    for (const found of find(analysis, around, account.rest)) account.take(found);
  }
  return { reasons: account.reasons, unexplained: account.isSettled ? 0 : account.rest };
}

/** `most` has no sign; absent means all of the rest. */
interface Explanation {
  readonly code: DriftReasonCode;
  readonly most?: number;
  readonly detail: string;
}

type Finder = (analysis: Analysis, around: Surroundings, rest: number) => readonly Explanation[];

class Account {
  readonly reasons: Reason[] = [];
  rest: number;
  readonly #bound: Bound;
  readonly #larger: number;

  constructor({ cell }: Analysis, left: number, bound: Bound) {
    this.rest = left;
    this.#bound = bound;
    this.#larger = largerSide(cell.billed, cell.ledger);
  }

  get isSettled(): boolean {
    return !isBeyond(this.rest, this.#larger, this.#bound);
  }

  take({ code, most = Number.POSITIVE_INFINITY, detail }: Explanation): void {
    const size = Math.min(Math.abs(this.rest), Math.round(most));
    if (size <= 0 || this.isSettled) return;
    const amount = Math.sign(this.rest) * size;
    this.rest -= amount;
    this.reasons.push({ code, amount, detail });
  }
}

const none: readonly Explanation[] = [];

const finders: readonly Finder[] = [
  ofNoUsage,
  unmapped,
  notFinal,
  duplicated,
  wrongMapping,
  unknownModel,
  unpriced,
  pastGateway,
  estimated,
  serviceTier,
  dayBoundary,
  notBilled,
  price,
  moreRequests,
];

function ofNoUsage({ cell }: Analysis): readonly Explanation[] {
  switch (cell.kind) {
    case 'credit':
      return [{ code: 'credit', detail: 'The vendor gave a credit; it is of no usage.' }];
    case 'fee':
      return [{ code: 'fee', detail: 'A tax, fee or commitment; it is of no usage.' }];
    case 'tool':
      return [{ code: 'tools', detail: 'Searches and the like, billed apart; the ledger has no cost of theirs.' }];
    case 'usage':
      return none;
  }
}

function unmapped({ cell }: Analysis): readonly Explanation[] {
  const { group, ledger } = cell;
  if (group.unmapped !== undefined) {
    const { kind, value } = group.unmapped;
    return [{ code: 'unmapped', detail: `No provider key is mapped to ${named(kind)} ${value}.` }];
  }
  if (group.id === 'none')
    return [{ code: 'unmapped', detail: 'The rows of the bill name no key, project or account.' }];
  if (!group.id.startsWith('key:')) return none;
  const detail =
    group.keys.length === 0
      ? `${requests(ledger.requests)} whose provider key is not recorded: of proxies of an older version.`
      : 'Nothing on the bill is mapped to this provider key.';
  return [{ code: 'unmapped', detail }];
}

function notFinal(_analysis: Analysis, { preliminary }: Surroundings): readonly Explanation[] {
  return preliminary === undefined ? none : [{ code: 'not_final', detail: preliminary }];
}

function duplicated({ cell }: Analysis, _around: Surroundings, rest: number): readonly Explanation[] {
  const most = cell.billed.duplicated;
  if (rest <= 0 || most <= 0) return none;
  return [
    {
      code: 'duplicated',
      most,
      detail: 'Two accounts of a document have the same content: it was imported twice.',
    },
  ];
}

function wrongMapping(_analysis: Analysis, { counterpart }: Surroundings): readonly Explanation[] {
  if (counterpart === undefined) return none;
  const detail = `The opposite difference is at ${counterpart}: a reference of one seems to be mapped to the other.`;
  return [{ code: 'wrong_mapping', detail }];
}

function unknownModel({ cell }: Analysis): readonly Explanation[] {
  if (cell.known || cell.ledger.requests > 0) return none;
  return [
    {
      code: 'unknown_model',
      detail: `No model is known by the name "${cell.model}": map it, or leave it out.`,
    },
  ];
}

function unpriced({ cell: { ledger, billed } }: Analysis, _around: Surroundings, rest: number): readonly Explanation[] {
  const { requests: count, tokens } = ledger.unpriced;
  if (rest <= 0 || count === 0) return none;
  const all = Math.max(countOf(billed.tokens ?? ledger.tokens), 1);
  const share = Math.min(1, countOf(tokens) / all);
  const most = billed.cost === undefined ? undefined : billed.cost * share;
  const detail = `${requests(count)} of ${tokenCount(countOf(tokens))} tokens were recorded without a cost: their model had no price.`;
  return [{ code: 'unpriced', ...(most !== undefined && { most }), detail }];
}

/** The evidence: keys that are not the gateway's, batches, or a model without requests in the ledger. */
function pastGateway({ cell, parts }: Analysis, _around: Surroundings, rest: number): readonly Explanation[] {
  const { past } = cell.billed;
  if (rest <= 0) return none;
  if (cell.ledger.requests === 0)
    return [{ code: 'past_gateway', detail: 'The ledger has no request of this model with this provider key.' }];
  if (past.by.size === 0) return none;
  // A bill of tokens has no cost of its own, so the cost of its additional tokens counts.
  const most = past.cost > 0 ? past.cost : Math.max(0, parts?.quantity ?? 0);
  const detail = `${tokenCount(countOf(past.tokens))} tokens by ${[...past.by].slice(0, 3).map(named).join(', ')}, which the gateway does not use.`;
  return [{ code: 'past_gateway', most, detail }];
}

function estimated({ cell, parts }: Analysis, _around: Surroundings, rest: number): readonly Explanation[] {
  const sums = [...cell.ledger.estimated];
  const total = (of: 'requests' | 'cost' | 'reported') => sums.reduce((all, [, sum]) => all + sum[of], 0);
  const [count, cost, reported] = [total('requests'), total('cost'), total('reported')];
  if (count === 0) return none;
  // If the ledger is too high, at most the amount above the reported cost is wrong. If it is too low, the estimate may
  // be wrong by its whole amount.
  const most = rest < 0 ? cost - reported : Math.min(cost, Math.max(0, parts?.quantity ?? cost));
  const reasons = sums.map(([reason, sum]) => `${sum.requests} ${reason.replace('_', ' ')}`).join(', ');
  const detail = `${requests(count)} were recorded by an estimate (${reasons}), at $${usdOfNano(cost)} of which $${usdOfNano(reported)} was reported.`;
  return [{ code: 'estimated', most, detail }];
}

function serviceTier({ cell, parts }: Analysis, { bound }: Surroundings, rest: number): readonly Explanation[] {
  const apart = tiersApart(cell, bound);
  if (apart.length === 0) return none;
  const ofPrice = parts === undefined || Math.sign(parts.price) === Math.sign(rest);
  if (!ofPrice) return none;
  const detail = apart.map(tierSentence).join(' ');
  return [{ code: 'service_tier', ...(parts !== undefined && { most: Math.abs(parts.price) }), detail }];
}

interface TierApart {
  readonly tier: string;
  readonly billed: number;
  readonly recorded: number;
}

/** The gateway never sends batches. A bill without tokens shows no tier. */
function tiersApart({ billed, ledger }: Cell, { percent }: Bound): readonly TierApart[] {
  if (billed.tokens === undefined) return [];
  const names = new Set([...billed.tiers.keys(), ...ledger.tiers.keys()]);
  return [...names]
    .filter((tier) => tier !== 'batch' && tier !== 'standard')
    .map((tier) => {
      const count = (tiers: ReadonlyMap<string, Tokens>) => countOf(tiers.get(tier) ?? noTokens);
      return { tier, billed: count(billed.tiers), recorded: count(ledger.tiers) };
    })
    .filter((one) => isBeyond(one.billed - one.recorded, Math.max(one.billed, one.recorded), { percent, least: 0 }));
}

function tierSentence({ tier, billed, recorded }: TierApart): string {
  return `Tokens at ${tier}: ${tokenCount(billed)} on the bill, ${tokenCount(recorded)} in the ledger.`;
}

function dayBoundary(_analysis: Analysis, { neighbour }: Surroundings): readonly Explanation[] {
  if (neighbour === undefined) return none;
  return [{ code: 'day_boundary', detail: `The opposite difference is on ${neighbour}: requests around midnight.` }];
}

function notBilled({ cell }: Analysis, _around: Surroundings, rest: number): readonly Explanation[] {
  const { cost = 0, tokens } = cell.billed;
  if (rest >= 0 || cost !== 0 || (tokens !== undefined && countOf(tokens) > 0)) return none;
  return [{ code: 'not_billed', detail: `The bill has nothing of these ${cell.ledger.requests} requests.` }];
}

function price({ cell, parts, price: inForce }: Analysis, _around: Surroundings, rest: number): readonly Explanation[] {
  if (parts === undefined || Math.sign(parts.price) !== Math.sign(rest)) return none;
  const { cost = 0, tokens } = cell.billed;
  const detail = `Billed at $${perMillion(cost, tokens)} a million tokens, recorded at $${perMillion(cell.ledger.complete.cost, cell.ledger.complete.tokens)}; ${sinceWhen(inForce)}.`;
  return [{ code: 'price', most: Math.abs(parts.price), detail }];
}

/** If the bill counts more requests than the ledger, some of them did not go through the gateway. */
function moreRequests({ cell, parts }: Analysis, _around: Surroundings, rest: number): readonly Explanation[] {
  const { requests: billed } = cell.billed;
  if (rest <= 0 || billed === undefined || billed <= cell.ledger.requests) return none;
  const detail = `The bill has ${requests(billed)}, the ledger ${cell.ledger.requests}: others use this key as well, or usage was lost.`;
  return [{ code: 'past_gateway', most: Math.max(0, parts?.quantity ?? rest), detail }];
}

function sinceWhen(inForce: Analysis['price']): string {
  if (inForce === undefined) return 'no price is known here';
  const whose = {
    own: "the organization's own price, last changed on",
    provider: "the provider's price of",
    catalog: "the catalog's price of",
  };
  return `it is ${whose[inForce.from]} ${inForce.since}`;
}

function perMillion(cost: number, tokens: Tokens | undefined): string {
  const count = tokens === undefined ? 0 : countOf(tokens);
  return count === 0 ? '?' : (cost / count / 1000).toFixed(3);
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}

function tokenCount(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

function named(by: string): string {
  return by.replace('_', ' ');
}

/** The name of a cell in a sentence. */
export function called({ group }: Cell, nameOfKey: (id: string) => string): string {
  if (group.keys.length === 0) return 'a reference that is not mapped';
  return group.keys.map(nameOfKey).join(', ');
}
