// The shipped model catalog: which models are known, whether they chat, their limits and dated prices.
// Read and checked once, when the program starts; a malformed row stops it there and never surfaces in a request.
import catalogJson from '../../catalog/models.json' with { type: 'json' };
import { type Capability, isCapability, isPrice } from '../../common/model-facts.ts';

/** USD per million tokens, as decimal strings. A kind of token without a price of its own costs the input's. */
export interface TokenPrices {
  readonly input: string;
  readonly output: string;
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
  /** For a cache entry that lives an hour; without one of its own it costs what any other does. */
  readonly cacheWrite1h?: string;
}

/** In place of the others when the whole prompt holds more tokens than this. */
export interface PriceTier extends TokenPrices {
  readonly abovePromptTokens: number;
}

export interface ModelPrices extends TokenPrices {
  /** Ascending. */
  readonly tiers?: readonly PriceTier[];
  /** The day the figures were found, YYYY-MM-DD. */
  readonly asOf: string;
}

export interface CatalogModel {
  /** Canonical. */
  readonly provider: string;
  /** As it is sent to the provider. */
  readonly name: string;
  /** False: known not to answer chat completions. */
  readonly chat: boolean;
  /** Unix seconds; the catalog's own date where the model's is not known. */
  readonly created: number;
  readonly limits: { readonly maxInputTokens?: number; readonly maxOutputTokens?: number };
  readonly capabilities: readonly Capability[];
  /** Absent: no price is known that could be believed. */
  readonly prices?: ModelPrices;
  /** Prices that differ, by cloud region or data zone. */
  readonly regions?: Readonly<Record<string, ModelPrices>>;
}

/**
 * @param provider canonical name
 * @param name as sent to the provider; a fine-tuned `ft:<base>:…` is found by its base
 */
export function findModel(provider: string, name: string): CatalogModel | undefined {
  return byName.get(`${provider}/${name.startsWith(fineTuned) ? baseOfFineTuned(name) : name}`);
}

/** All that can be called by the name they have here, so not the bases of fine-tuned models. */
export function listModels(): readonly CatalogModel[] {
  return listed;
}

const fineTuned = 'ft:';

/** `ft:gpt-4o-2024-08-06:acme::b1` → `ft:gpt-4o-2024-08-06` */
function baseOfFineTuned(name: string): string {
  const end = name.indexOf(':', fineTuned.length);
  return end === -1 ? name : name.slice(0, end);
}

type Json = Readonly<Record<string, unknown>>;

const priceFields = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h'] as const;

// The compiler would otherwise work with the literal type of some hundred rows.
const { asOf, models } = catalogJson as unknown as {
  readonly asOf: string;
  readonly models: readonly Json[];
};
const catalogCreated = Date.parse(asOf) / 1000;

const rows = Object.freeze(models.map(parseModel));
const byName = indexed(rows);
const listed = Object.freeze(rows.filter((row) => !row.name.startsWith(fineTuned)));

function indexed(all: readonly CatalogModel[]): ReadonlyMap<string, CatalogModel> {
  const index = new Map(all.map((row) => [`${row.provider}/${row.name}`, row] as const));
  if (index.size !== all.length) throw new Error('catalog/models.json holds a model twice');
  return index;
}

function parseModel(row: Json): CatalogModel {
  const { provider, name, chat, created, limits, capabilities, prices, regions, ...unknown } = row;
  const at = `catalog/models.json, ${String(provider)}/${String(name)}`;
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`${at}: ${what}`);
  };
  must(typeof provider === 'string' && typeof name === 'string', 'provider and name are strings');
  must(typeof chat === 'boolean', 'chat is a boolean');
  must(created === undefined || isCount(created), 'created is a time in unix seconds');
  must(Object.keys(unknown).length === 0, `there is no field ${Object.keys(unknown).join(', ')}`);
  const parsed = {
    provider,
    name,
    chat,
    created: created ?? catalogCreated,
    limits: parseLimits(limits ?? {}, at),
    capabilities: Object.freeze([...((capabilities ?? []) as Capability[])]),
    ...(prices !== undefined && { prices: parsePrices(prices, at) }),
    ...(regions !== undefined && {
      regions: Object.freeze(
        Object.fromEntries(Object.entries(regions as Json).map(([key, one]) => [key, parsePrices(one, at)])),
      ),
    }),
  };
  must(parsed.capabilities.every(isCapability), 'a capability is not known');
  return Object.freeze(parsed as CatalogModel);
}

function parseLimits(value: unknown, at: string): CatalogModel['limits'] {
  const limits = fieldsOf(value, ['maxInputTokens', 'maxOutputTokens'], at);
  if (!Object.values(limits).every(isCount)) throw new Error(`${at}: a limit is no whole number`);
  return Object.freeze(limits as CatalogModel['limits']);
}

function parsePrices(value: unknown, at: string): ModelPrices {
  const { tiers, asOf: found, ...amounts } = fieldsOf(value, [...priceFields, 'tiers', 'asOf'], at);
  if (typeof found !== 'string' || Number.isNaN(Date.parse(found)))
    throw new Error(`${at}: prices need asOf`);
  const steps =
    tiers === undefined
      ? undefined
      : Object.freeze((tiers as readonly unknown[]).map((one) => parseTier(one, at)));
  return Object.freeze({ ...parseAmounts(amounts, at), ...(steps && { tiers: steps }), asOf: found });
}

function parseTier(value: unknown, at: string): PriceTier {
  const { abovePromptTokens, ...amounts } = fieldsOf(value, [...priceFields, 'abovePromptTokens'], at);
  if (!isCount(abovePromptTokens)) throw new Error(`${at}: a tier needs abovePromptTokens`);
  return Object.freeze({ abovePromptTokens, ...parseAmounts(amounts, at) });
}

function parseAmounts(amounts: Json, at: string): TokenPrices {
  const wrong = Object.values(amounts).some((one) => typeof one !== 'string' || !isPrice(one));
  if (wrong || amounts.input === undefined || amounts.output === undefined) {
    throw new Error(`${at}: prices are decimal strings, input and output among them`);
  }
  return amounts as unknown as TokenPrices;
}

function fieldsOf(value: unknown, known: readonly string[], at: string): Json {
  if (typeof value !== 'object' || value === null) throw new Error(`${at}: an object is missing`);
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd !== undefined) throw new Error(`${at}: there is no field ${odd}`);
  return value as Json;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
