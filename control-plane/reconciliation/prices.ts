// The prices that the ledger charges, as far as the control plane knows them. They value tokens and show since when a
// price holds. The order is: an exact name of the organization's own prices, their longest glob, a custom provider's
// price, the catalog's.
import type { Kysely } from 'kysely';
import { catalogInForce } from '../../catalog/in-force.ts';
import { pricesOn } from '../../catalog/model.ts';
import { canonicalModel } from '../../catalog/model-names.ts';
import { selectsModel } from '../../catalog/model-selector.ts';
import { dayOf } from '../../common/budget-window.ts';
import { aList } from '../../common/json-shape.ts';
import { nanoOfUsd } from '../../common/money.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import { jsonColumn } from '../store/json-columns.ts';
import { readCallable } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import type { Tokens } from './tokens.ts';

export interface PriceInForce {
  /** In nano-dollars per million tokens. */
  readonly rates: Rates;
  readonly from: 'own' | 'provider' | 'catalog';
  /** The day on which it was last changed, or on which the catalog found it. */
  readonly since: string;
}

export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
}

/** @param model `<provider>/<model>` as requested */
export type PriceOf = (model: string) => PriceInForce | undefined;

/** USD per million tokens, in their stored form. */
interface Amounts {
  readonly input: string;
  readonly output: string;
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
  readonly cacheWrite1h?: string;
  readonly asOf?: string;
}

/** @param day on which requests were charged, because a price may end */
export async function readPrices(db: Kysely<Schema>, organizationId: string, day: string): Promise<PriceOf> {
  const own = await readOwn(db, organizationId);
  const ofProviders = await readOfProviders(db, organizationId);
  return (model) =>
    own.find((price) => selectsModel(price.model, model)) ?? ofProviders.get(model) ?? ofCatalog(model, day);
}

/** In nano-dollars. */
export function worthAt(rates: Rates, tokens: Tokens): number {
  const writes1h = Math.min(tokens.cacheWrite1h, tokens.cacheWrite);
  const uncached = Math.max(0, tokens.prompt - tokens.cacheRead - tokens.cacheWrite);
  return (
    (uncached * rates.input +
      tokens.cacheRead * rates.cacheRead +
      (tokens.cacheWrite - writes1h) * rates.cacheWrite +
      writes1h * rates.cacheWrite1h +
      tokens.completion * rates.output) /
    1_000_000
  );
}

const pricesOf = jsonColumn('prices', 'prices', aMessage<Amounts>('ModelPrices'));
const modelsOf = jsonColumn(
  'providers',
  'models',
  aList(aMessage<{ readonly name: string; readonly prices?: Amounts | null }>('ProviderModel')),
);

interface OwnPrice extends PriceInForce {
  readonly model: string;
}

async function readOwn(db: Kysely<Schema>, organizationId: string): Promise<readonly OwnPrice[]> {
  const rows = await db
    .selectFrom('prices')
    .innerJoin('audit_events', 'audit_events.revision', 'prices.revision')
    .select(['prices.id', 'prices.model', 'prices.prices', 'audit_events.at'])
    .where('prices.organization_id', '=', organizationId)
    .execute();
  const isGlob = (model: string) => (model.includes('*') ? 1 : 0);
  return rows
    .toSorted((a, b) => isGlob(a.model) - isGlob(b.model) || b.model.length - a.model.length || (a.id < b.id ? -1 : 1))
    .map((row) => ({
      model: row.model,
      rates: ratesOf(pricesOf(row)),
      from: 'own' as const,
      since: dayOf(row.at),
    }));
}

async function readOfProviders(db: Kysely<Schema>, organizationId: string): Promise<ReadonlyMap<string, PriceInForce>> {
  const providers = await readCallable(db, organizationId);
  return new Map(
    providers.flatMap((provider) => {
      return modelsOf(provider).flatMap(({ name, prices }): [string, PriceInForce][] =>
        prices ? [[`${provider.name}/${name}`, priced(prices, 'provider')]] : [],
      );
    }),
  );
}

function ofCatalog(model: string, day: string): PriceInForce | undefined {
  const canonical = canonicalModel(model);
  const slash = canonical.indexOf('/');
  const found = catalogInForce().find(canonical.slice(0, slash), canonical.slice(slash + 1));
  return found?.prices && priced(pricesOn(found.prices, Date.parse(day)), 'catalog');
}

function priced(prices: Amounts, from: PriceInForce['from']): PriceInForce {
  return { rates: ratesOf(prices), from, since: prices.asOf ?? '' };
}

/** A kind of tokens without a price costs as much as input. */
function ratesOf({ input, output, cacheRead, cacheWrite, cacheWrite1h }: Amounts): Rates {
  const nano = (usd: string | undefined) => (usd === undefined ? undefined : nanoOfUsd(usd));
  const base = nano(input) ?? 0;
  const write = nano(cacheWrite) ?? base;
  return {
    input: base,
    output: nano(output) ?? 0,
    cacheRead: nano(cacheRead) ?? base,
    cacheWrite: write,
    cacheWrite1h: nano(cacheWrite1h) ?? write,
  };
}
