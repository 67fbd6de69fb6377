// Parses a catalog: catalog/models.json, or a file in its form. It is accepted as a whole or not at all. An error names
// the row and field and never repeats the content.
import { isObject, type JsonObject } from '../common/json.ts';
import {
  type Capability,
  callKinds,
  isCallPrice,
  isCapability,
  isModelName,
  isPrice,
  isRegionName,
  isServiceTier,
  isSurcharge,
  type ServiceTier,
  tokenKinds,
} from '../common/model-facts.ts';
import type { CallPrices, CatalogModel, ModelPrices, NextPrices, PriceSet, PriceTier, TokenPrices } from './model.ts';

export interface CatalogContent {
  /** The date of the whole catalog, YYYY-MM-DD. */
  readonly asOf: string;
  /** Descriptions of the names in the `source` of prices. */
  readonly sources: Readonly<Record<string, string>>;
  /** In the order of the file. */
  readonly models: readonly CatalogModel[];
}

/** A catalog whose rows are not parsed yet. */
export interface CatalogHead extends Pick<CatalogContent, 'asOf' | 'sources'> {
  readonly rows: readonly unknown[];
  /** @throws Error that names the row and what is wrong with it */
  parseRow(row: unknown): CatalogModel;
}

/** @throws Error that names the row and what is wrong with it */
export function parseCatalog(value: unknown, file: string): CatalogContent {
  const { asOf, sources, rows, parseRow } = parseCatalogHead(value, file);
  return { asOf, sources, models: Object.freeze(rows.map(parseRow)) };
}

/** Parses everything but the rows. @throws Error that says what is wrong */
export function parseCatalogHead(value: unknown, file: string): CatalogHead {
  if (!isObject(value) || !Array.isArray(value.models)) throw new Error(`${file}: an object with models is expected`);
  const { asOf, unit, sources = {}, models, ...unknown } = value;
  const [odd] = Object.keys(unknown);
  if (odd !== undefined) throw new Error(`${file}: there is no field ${odd}`);
  if (!isDay(asOf)) throw new Error(`${file}: asOf must be a day, YYYY-MM-DD`);
  if (unit !== catalogUnit) throw new Error(`${file}: unit must be "${catalogUnit}"`);
  const created = Date.parse(asOf) / 1000;
  const named = mapOf(sources, file, 'sources', (_name, one) => {
    if (typeof one === 'string') return one;
    throw new Error(`${file}: a source is a text`);
  });
  return { asOf, sources: named, rows: models, parseRow: (row) => parseModel(row, created, file) };
}

export const catalogUnit = 'USD per million tokens';

function parseModel(row: unknown, catalogCreated: number, file: string): CatalogModel {
  if (!isObject(row)) throw new Error(`${file}: a row is no object`);
  const { provider, name, chat, created, limits, capabilities, prices, regions, ...unknown } = row;
  if (typeof provider !== 'string' || typeof name !== 'string' || !isModelName(`${provider}/${name}`))
    throw new Error(`${file}: a row needs provider and name`);
  const at = `${file}, ${provider}/${name}`;
  if (typeof chat !== 'boolean') throw new Error(`${at}: chat is true or false`);
  if (created !== undefined && !isCount(created)) throw new Error(`${at}: created is a time in unix seconds`);
  const [odd] = Object.keys(unknown);
  if (odd !== undefined) throw new Error(`${at}: there is no field ${odd}`);
  return Object.freeze({
    provider,
    name,
    chat,
    created: created ?? catalogCreated,
    limits: parseLimits(limits ?? {}, at),
    capabilities: parseCapabilities(capabilities ?? [], at),
    ...(prices !== undefined && { prices: parsePrices(prices, at) }),
    ...(regions !== undefined && { regions: parseRegions(regions, at) }),
  });
}

function parseLimits(value: unknown, at: string): CatalogModel['limits'] {
  const limits = fieldsOf(value, ['maxInputTokens', 'maxOutputTokens'], at);
  if (!Object.values(limits).every(isCount)) throw new Error(`${at}: a limit is no whole number`);
  return Object.freeze(limits as CatalogModel['limits']);
}

function parseCapabilities(value: unknown, at: string): readonly Capability[] {
  if (!Array.isArray(value) || !value.every(isCapability)) throw new Error(`${at}: a capability is not known`);
  return Object.freeze([...value]);
}

function parseRegions(value: unknown, at: string): Readonly<Record<string, ModelPrices>> {
  return mapOf(value, at, 'regions', (key, one) => {
    if (!isRegionName(key)) throw new Error(`${at}: ${key} is no region`);
    return parsePrices(one, at);
  });
}

/** @throws Error */
function parsePrices(value: unknown, at: string): ModelPrices {
  const { next, ...prices } = fieldsOf(value, [...priceFields, 'next'], at);
  const parsed = parsePriceFields(prices, at);
  return Object.freeze(next === undefined ? parsed : { ...parsed, next: parseNext(next, `${at}, next`) });
}

function parseNext(value: unknown, at: string): NextPrices {
  const { from, ...prices } = fieldsOf(value, [...priceFields, 'from'], at);
  if (!isDay(from)) throw new Error(`${at}: from must be a day, YYYY-MM-DD`);
  return Object.freeze({ ...parsePriceFields(prices, at), from });
}

function parsePriceFields(value: JsonObject, at: string): Omit<ModelPrices, 'next'> {
  const { serviceTiers, surcharges, calls, asOf, source, ...set } = value;
  if (!isDay(asOf)) throw new Error(`${at}: prices need asOf`);
  if (source !== undefined && typeof source !== 'string') throw new Error(`${at}: source is a name`);
  return {
    ...parseSet(set, at),
    ...(serviceTiers !== undefined && { serviceTiers: parseServiceTiers(serviceTiers, at) }),
    ...(surcharges !== undefined && { surcharges: parseSurcharges(surcharges, at) }),
    ...(calls !== undefined && { calls: parseCalls(calls, at) }),
    asOf,
    ...(source !== undefined && { source }),
  };
}

const setFields = [...tokenKinds, 'tiers'];
const priceFields = [...setFields, 'serviceTiers', 'surcharges', 'calls', 'asOf', 'source'];

function parseSet(value: unknown, at: string): PriceSet {
  const { tiers, ...amounts } = fieldsOf(value, setFields, at);
  if (tiers === undefined) return Object.freeze(parseAmounts(amounts, at));
  if (!Array.isArray(tiers)) throw new Error(`${at}: tiers are a list`);
  const steps = tiers.map((one: unknown) => parseTier(one, at));
  const ascend = steps.every(
    ({ abovePromptTokens }, index) => abovePromptTokens > (steps[index - 1]?.abovePromptTokens ?? 0),
  );
  if (!ascend) throw new Error(`${at}: tiers must ascend`);
  return Object.freeze({ ...parseAmounts(amounts, at), tiers: Object.freeze(steps) });
}

function parseTier(value: unknown, at: string): PriceTier {
  const { abovePromptTokens, ...amounts } = fieldsOf(value, [...tokenKinds, 'abovePromptTokens'], at);
  if (!isCount(abovePromptTokens)) throw new Error(`${at}: a tier needs abovePromptTokens`);
  return Object.freeze({ abovePromptTokens, ...parseAmounts(amounts, at) });
}

function parseAmounts(amounts: JsonObject, at: string): TokenPrices {
  const { input, output } = amounts;
  const wrong = Object.values(amounts).some((one) => typeof one !== 'string' || !isPrice(one));
  if (wrong || typeof input !== 'string' || typeof output !== 'string') {
    throw new Error(`${at}: prices are decimal strings, input and output among them`);
  }
  return { ...amounts, input, output };
}

function parseServiceTiers(value: unknown, at: string): Readonly<Partial<Record<ServiceTier, PriceSet>>> {
  return mapOf(value, at, 'serviceTiers', (key, one) => {
    if (!isServiceTier(key)) throw new Error(`${at}: ${key} is no service tier`);
    return parseSet(one, at);
  });
}

function parseSurcharges(value: unknown, at: string): Readonly<Record<string, string>> {
  return mapOf(value, at, 'surcharges', (key, one) => {
    if (isRegionName(key) && typeof one === 'string' && isSurcharge(one)) return one;
    throw new Error(`${at}: a surcharge is a factor for a region, such as "us": "1.1"`);
  });
}

function parseCalls(value: unknown, at: string): CallPrices {
  const calls = fieldsOf(value, callKinds, at);
  return mapOf(calls, at, 'calls', (_key, one) => {
    if (typeof one === 'string' && isCallPrice(one)) return one;
    throw new Error(`${at}: prices by the piece are decimal strings`);
  });
}

function mapOf<T>(
  value: unknown,
  at: string,
  what: string,
  read: (key: string, one: unknown) => T,
): Readonly<Record<string, T>> {
  if (!isObject(value)) throw new Error(`${at}: ${what} are an object`);
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, read(key, one)] as const)));
}

function fieldsOf(value: unknown, known: readonly string[], at: string): JsonObject {
  if (!isObject(value)) throw new Error(`${at}: an object is missing`);
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd !== undefined) throw new Error(`${at}: there is no field ${odd}`);
  return value;
}

function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
