// Converts LiteLLM's public price list (`model_prices_and_context_window.json` of BerriAI/litellm, MIT) to rows of the
// catalog, as data that an operator reviews before using it. Its amounts are USD per token as floating-point numbers.
// Errors that contradict a vendor's stated rule are corrected here; a model with an implausible price gets none.
import { isObject, type JsonObject } from '../common/json.ts';
import {
  type Capability,
  capabilities,
  isModelName,
  isPrice,
  isRegionName,
  type ServiceTier,
  type TokenKind,
  tokenKinds,
} from '../common/model-facts.ts';
import type { CallPrices, CatalogModel, ModelPrices, PriceSet, PriceTier, TokenPrices } from './model.ts';

/** @param asOf the day on which the list was downloaded, YYYY-MM-DD @param source name among the catalog's sources */
export function rowsOfLitellm(list: JsonObject, asOf: string, source: string): readonly CatalogModel[] {
  const found = new Map<string, Collected>();
  for (const [key, value] of Object.entries(list)) {
    const listed = isObject(value) ? entryOf(key, value) : undefined;
    if (listed === undefined || !isObject(value)) continue;
    const name = `${listed.provider}/${listed.name}`;
    const known: Collected = found.get(name) ?? { listed: listed, regions: new Map() };
    found.set(name, known);
    if (listed.region !== undefined) known.regions.set(listed.region, value);
    // If two lists of one vendor contain the model, the list that sells it under its own name wins.
    else if (known.row === undefined || value.litellm_provider === 'azure') known.row = value;
  }
  return [...found.values()].flatMap((one) => rowOf(one, { asOf, source }) ?? []);
}

/** Whether the value is such a list and not a catalog. */
export function isLitellmList(value: unknown): value is JsonObject {
  return isObject(value) && !Array.isArray(value.models) && Object.values(value).some(isListed);
}

function isListed(row: unknown): boolean {
  return isObject(row) && typeof row.litellm_provider === 'string';
}

interface ListedModel {
  readonly provider: string;
  readonly name: string;
  readonly region: string | undefined;
}

interface Collected {
  readonly listed: ListedModel;
  row?: JsonObject;
  readonly regions: Map<string, JsonObject>;
}

const cloudRegion = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** Undefined for a model of an unsupported vendor, or an entry that is not a callable model. */
function entryOf(key: string, { litellm_provider: list }: JsonObject): ListedModel | undefined {
  const parts = key.split('/');
  const listed = (provider: string, prefix: string | undefined): ListedModel | undefined => {
    const own = prefix !== undefined && parts[0] === prefix ? parts.slice(1) : parts;
    const [first = '', ...rest] = own;
    const name = rest.length === 0 ? first : rest.join('/');
    const region = rest.length === 0 ? undefined : first;
    const isCalled = isModelName(name) && !name.includes('/') && !dropped.some((one) => one.test(name));
    return isCalled && (region === undefined || isRegionName(region)) ? { provider, name, region } : undefined;
  };
  switch (list) {
    case 'openai':
      return withoutRegion(listed('gpt-provider', 'openai'));
    case 'azure':
      return listed('studio-ai', 'azure');
    case 'azure_ai':
      return withoutRegion(listed('studio-ai', 'azure_ai'));
    case 'anthropic':
      return withoutRegion(listed('assistant-provider', 'anthropic'));
    case 'gemini':
      return parts[0] === 'gemini' ? withoutRegion(listed('search-provider', 'gemini')) : undefined;
    case 'bedrock':
    case 'bedrock_converse': {
      const found = listed('managed-cloud-models', 'bedrock');
      return found?.region === undefined || cloudRegion.test(found.region) ? found : undefined;
    }
    default:
      return undefined;
  }
}

function withoutRegion(listed: ListedModel | undefined): ListedModel | undefined {
  return listed?.region === undefined ? listed : undefined;
}

/** Names that no vendor accepts. */
const dropped: readonly RegExp[] = [
  /^container$/,
  /^model_router$/,
  /^gpt-5-chat$/,
  /^claude-4-(opus|sonnet)-/,
  /^gemini-gemma-2-/,
  /^gemini-exp-/,
  /-exp-image-generation$/,
  /^learnlm-/,
  /^anthropic\.claude-3-7-sonnet-20240620-v1:0$/,
  /^anthropic\.claude-haiku-4-5@/,
  /^claude-.*-v1:0$/,
];

/** Whether the model serves chat completions, including media that the vendor's chat API produces besides text. */
function isChat({ listed: { provider, name } }: Collected, { mode, supported_endpoints: paths }: JsonObject): boolean {
  // The search provider's other API, which the gateway does not support.
  if (Array.isArray(paths) && paths.length > 0 && paths.every((one) => one === '/v1beta/interactions')) return false;
  if (mode === 'chat') return !/^(lyria-|deep-research-|computer-use-)|-deep-research|\btwelvelabs\./.test(name);
  return provider === 'search-provider' && mode === 'image_generation' && /^(gemini-|nano-banana)/.test(name);
}

interface PriceMatch {
  readonly asOf: string;
  readonly source: string;
}

function rowOf(collected: Collected, found: PriceMatch): CatalogModel | undefined {
  const { listed, row } = collected;
  if (row === undefined) return undefined;
  const { provider, name } = listed;
  const date = /(20\d{2})-?(\d{2})-?(\d{2})(?!\d)/.exec(name);
  const created = date === null ? Number.NaN : Date.parse(date.slice(1).join('-')) / 1000;
  const head = { provider, name, created: Number.isNaN(created) ? Date.parse(found.asOf) / 1000 : created };
  if (!isChat(collected, row)) return { ...head, chat: false, limits: {}, capabilities: [] };
  const prices = pricesOf(listed, row, found);
  const regional = regionalPrices(collected, found);
  return {
    ...head,
    chat: true,
    limits: limitsOf(row),
    capabilities: capabilitiesOf(row),
    ...(prices !== undefined && { prices }),
    ...(Object.keys(regional).length > 0 && { regions: regional }),
  };
}

function regionalPrices({ listed, regions }: Collected, found: PriceMatch): Record<string, ModelPrices> {
  const pairs = [...regions].flatMap(([region, row]) => {
    const prices = pricesOf(listed, row, found);
    return prices === undefined ? [] : [[region, prices] as const];
  });
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function limitsOf({ max_input_tokens: input, max_output_tokens: output }: JsonObject): CatalogModel['limits'] {
  const isLimit = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
  return {
    ...(isLimit(input) && { maxInputTokens: input }),
    ...(isLimit(output) && { maxOutputTokens: output }),
  };
}

const flags: Readonly<Record<Capability, string>> = {
  tools: 'supports_function_calling',
  vision: 'supports_vision',
  reasoning: 'supports_reasoning',
  json_schema: 'supports_response_schema',
};

function capabilitiesOf(row: JsonObject): readonly Capability[] {
  return capabilities.filter((one) => row[flags[one]] === true);
}

const fields: Readonly<Record<TokenKind, string>> = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cacheRead: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  cacheWrite1h: 'cache_creation_input_token_cost_above_1hr',
  cacheWrite12h: 'cache_creation_input_token_cost_above_12hr',
  audioInput: 'input_cost_per_audio_token',
  audioCacheRead: 'cache_read_input_audio_token_cost',
  audioOutput: 'output_cost_per_audio_token',
  imageOutput: 'output_cost_per_image_token',
};

type Amounts = Partial<Record<TokenKind, number>>;

/** USD per million tokens. */
function amountsOf(row: JsonObject, ending: string): Amounts {
  const listed = tokenKinds.flatMap((kind) => {
    const value = row[`${fields[kind]}${ending}`];
    return typeof value === 'number' && value >= 0 ? [[kind, value * 1e6] as const] : [];
  });
  return Object.fromEntries(listed);
}

/** Undefined if there is no plausible price. */
function pricesOf(listed: ListedModel, row: JsonObject, { asOf, source }: PriceMatch): ModelPrices | undefined {
  const usual = rightAmounts(listed, row);
  if (usual === undefined) return undefined;
  const above = thresholds(row);
  const listens = row.supports_audio_input === true && row[fields.audioInput] === undefined;
  const sounding = (set: PriceSet) => (row.litellm_provider === 'gemini' ? withSound(set, listens) : set);
  const served = Object.entries(serviceTiers(row, usual, above)).map(([tier, set]) => [tier, sounding(set)]);
  const surcharges = surchargesOf(row);
  const calls = callsOf(listed, row);
  return {
    ...sounding(priceSet(usual, tiersOf(row, above, usual, ''))),
    ...(served.length > 0 && { serviceTiers: Object.fromEntries(served) }),
    ...(Object.keys(surcharges).length > 0 && { surcharges }),
    ...(Object.keys(calls).length > 0 && { calls }),
    asOf,
    source,
  };
}

/**
 * For the search provider: where it lists no audio price, one price applies to all kinds of input, and cached audio
 * costs as much as cached text.
 */
function withSound({ tiers, ...amounts }: PriceSet, listens: boolean): PriceSet {
  const sounding = <T extends TokenPrices>(prices: T): T => {
    const { input, cacheRead, audioInput = listens ? input : undefined } = prices;
    const { audioCacheRead = audioInput === input ? cacheRead : undefined } = prices;
    return {
      ...prices,
      ...(audioInput !== undefined && { audioInput }),
      ...(audioCacheRead !== undefined && { audioCacheRead }),
    };
  };
  const steps = tiers?.map(sounding);
  return { ...sounding(amounts), ...(steps !== undefined && { tiers: steps }) };
}

type UsualAmounts = Amounts & { readonly input: number; readonly output: number };

function rightAmounts({ name }: ListedModel, row: JsonObject): UsualAmounts | undefined {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, ...others } = amountsOf(row, '');
  if (input === undefined || output === undefined) return undefined;
  // A price of 0 means unknown, except for open models that are free of charge.
  if (input + output === 0 && !name.startsWith('gemma-')) return undefined;
  // No vendor sells output for less than input: the two are swapped, or one is in another unit.
  if (output < input) return undefined;
  // No price is that high; the decimal point is misplaced.
  if (!isPrice(decimal(input)) || !isPrice(decimal(output))) return undefined;
  return {
    input,
    output,
    // Writing is never cheaper than input, so a lower value is the price of reading.
    ...cachePrices(input, cacheRead, cacheWrite),
    // The assistant provider's rule, which applies wherever its models are sold.
    ...(cacheWrite1h !== undefined && { cacheWrite1h: name.includes('claude') ? input * 2 : cacheWrite1h }),
    ...others,
  };
}

function cachePrices(input: number, read: number | undefined, write: number | undefined): Amounts {
  const isWrite = write !== undefined && write >= input;
  const cacheRead = read ?? (isWrite ? undefined : write);
  return { ...(cacheRead !== undefined && { cacheRead }), ...(isWrite && { cacheWrite: write }) };
}

/** In tokens, ascending. */
function thresholds(row: JsonObject): readonly number[] {
  const found = Object.keys(row).flatMap((key) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(key)?.[1] ?? []);
  return found.map((thousands) => Number(thousands) * 1000).toSorted((a, b) => a - b);
}

interface AmountsAbove {
  readonly above: number;
  readonly amounts: UsualAmounts;
}

/** A price that a tier does not list rises in proportion to the tier's input price. */
function tiersOf(row: JsonObject, above: readonly number[], usual: UsualAmounts, suffix: string): AmountsAbove[] {
  return above.flatMap((tokens) => {
    const listed = amountsOf(row, `_above_${tokens / 1000}k_tokens${suffix}`);
    if (listed.input === undefined || listed.output === undefined) return [];
    const ratio = usual.input === 0 ? 1 : listed.input / usual.input;
    return { above: tokens, amounts: { ...scaled(usual, ratio), ...listed } as UsualAmounts };
  });
}

function scaled(amounts: Amounts, ratio: number): Amounts {
  const kinds = tokenKinds.filter((kind) => amounts[kind] !== undefined);
  return Object.fromEntries(kinds.map((kind) => [kind, (amounts[kind] ?? 0) * ratio] as const));
}

const tierSuffixes: Readonly<Partial<Record<ServiceTier, string>>> = {
  flex: '_flex',
  priority: '_priority',
  ultrafast: '_ultrafast',
};

function serviceTiers(
  row: JsonObject,
  usual: UsualAmounts,
  above: readonly number[],
): Partial<Record<ServiceTier, PriceSet>> {
  const served: Partial<Record<ServiceTier, PriceSet>> = {};
  for (const [tier, suffix] of Object.entries(tierSuffixes)) {
    const listed = amountsOf(row, suffix);
    if (listed.input === undefined || listed.output === undefined) continue;
    // A price that is not listed equals the usual one, or rises in proportion to the input price.
    const ratio = usual.input === 0 ? 1 : Math.max(1, listed.input / usual.input);
    const own = { ...scaled(usual, ratio), ...listed } as UsualAmounts;
    const longer = tiersOf(row, above, usual, '').map(({ above: tokens, amounts }) => {
      const [listedTier] = tiersOf(row, [tokens], own, suffix);
      return listedTier ?? { above: tokens, amounts: dearer(amounts, own) };
    });
    served[tier as ServiceTier] = priceSet(own, longer);
  }
  const fast = factorOf(row, 'fast');
  if (fast !== undefined) {
    const longer = tiersOf(row, above, usual, '').map(({ above: tokens, amounts }) => ({
      above: tokens,
      amounts: scaled(amounts, fast) as UsualAmounts,
    }));
    served.fast = priceSet(scaled(usual, fast) as UsualAmounts, longer);
  }
  return served;
}

function dearer(one: UsualAmounts, other: UsualAmounts): UsualAmounts {
  const kinds = tokenKinds.filter((kind) => one[kind] !== undefined || other[kind] !== undefined);
  return Object.fromEntries(
    kinds.map((kind) => [kind, Math.max(one[kind] ?? 0, other[kind] ?? 0)] as const),
  ) as UsualAmounts;
}

function factorOf({ provider_specific_entry: entry }: JsonObject, name: string): number | undefined {
  const factor = isObject(entry) ? entry[name] : undefined;
  return typeof factor === 'number' && factor > 0 && factor <= 10 ? factor : undefined;
}

function surchargesOf(row: JsonObject): Record<string, string> {
  const surcharges: Record<string, string> = {};
  for (const region of ['eu', 'us']) {
    const listed = row[`regional_processing_uplift_multiplier_${region}`];
    const factor = typeof listed === 'number' ? listed : factorOf(row, region);
    if (factor !== undefined && factor !== 1) surcharges[region] = decimal(factor);
  }
  return surcharges;
}

/** Only items that the vendor's chat API reports, or that every request incurs. */
function callsOf({ provider, name }: ListedModel, row: JsonObject): CallPrices {
  const { search_context_cost_per_query: search, web_search_billing_unit: unit, output_cost_per_image: image } = row;
  const fee = isObject(search) ? search.search_context_size_medium : undefined;
  const isFee = typeof fee === 'number' && fee > 0;
  const isListed = ['gpt-provider', 'assistant-provider', 'search-provider'].includes(provider);
  const kind = provider === 'search-provider' && unit !== 'per_query' ? 'groundedPrompt' : 'search';
  const always = /-search-(preview|api)/.test(name);
  return {
    ...(isFee && isListed && { [always ? 'request' : kind]: decimal(fee) }),
    ...(typeof image === 'number' && image > 0 && { image: decimal(image) }),
  };
}

function priceSet(amounts: UsualAmounts, tiers: readonly AmountsAbove[]): PriceSet {
  const set = texts(amounts);
  const own = tiers.filter((tier) => tokenKinds.some((kind) => tier.amounts[kind] !== amounts[kind]));
  if (own.length === 0) return set;
  const steps = own.map((tier): PriceTier => ({ abovePromptTokens: tier.above, ...texts(tier.amounts) }));
  return { ...set, tiers: steps };
}

function texts(amounts: UsualAmounts): TokenPrices {
  const listed = tokenKinds.flatMap((kind) => {
    const amount = amounts[kind];
    return amount === undefined ? [] : [[kind, decimal(amount)] as const];
  });
  return { ...Object.fromEntries(listed), input: decimal(amounts.input), output: decimal(amounts.output) };
}

/** Removes floating-point noise: at most nine decimals. */
function decimal(value: number): string {
  return Number(value.toPrecision(10))
    .toFixed(9)
    .replace(/\.?0+$/, '');
}
