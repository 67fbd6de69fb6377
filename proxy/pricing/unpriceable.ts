// Finds a part of a request that has no price: no reservation could be enough for it, so under a budget the request is
// refused. Unknown kinds of content are refused for the same reason.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { ChatCall } from '../call.ts';
import { audioSecondsMax } from '../catalog/audio-length.ts';
import { isGiven } from '../conversation/options.ts';
import { count } from '../conversation/usage.ts';
import type { DearField } from '../formats/client-format.ts';
import type { OwnTool } from '../formats/own-tools.ts';
import { passedDearFields } from './dear-fields.ts';
import { alwaysSearching, type Demand, fileOf, isSounding, isStored, ownTool, plainDemand } from './demand.ts';
import type { ToolCall } from './native-targets.ts';
import { passedTools } from './passed-tools.ts';
import type { Prices } from './prices.ts';

type PriceableCall = ToolCall & Pick<ChatCall, 'qualifiedModel' | 'catalogModel'>;

/** The field of the request, as an error names it; undefined if all that it requests has a price. */
export function unpriceable(call: PriceableCall, prices: Prices): string | undefined {
  const { request, qualifiedModel, catalogModel } = call;
  const has = knownPrices(prices, catalogModel?.limits.maxInputTokens !== undefined);
  if (!has.model(qualifiedModel)) return 'model';
  const dear = passedDearFields(call).find((field) => !isPricedField(field, has));
  const tool = passedTools(call).find(({ cost }) => !isPricedUse(cost, has));
  return (
    dear?.at ?? tool?.at ?? fieldOf(request.body, has) ?? toolOf(request.body, has) ?? contentOf(request.messages, has)
  );
}

/** Which properties of the model have a price, or a bound. */
interface Known {
  model(name: string): boolean;
  demand(demand: Partial<Demand>): boolean;
  /** The model's largest prompt is known: it bounds content that is not in the body. */
  readonly window: boolean;
}

function knownPrices(prices: Prices, window: boolean): Known {
  const demand = (requested: Partial<Demand>) => !prices.lacks({ ...plainDemand, ...requested });
  return {
    window,
    demand,
    model: (name) => {
      // Its searches are neither bounded nor reported.
      if (name.includes('-deep-research')) return false;
      return !alwaysSearching.some((kind) => name.includes(kind)) || (window && demand({ calls: { request: 1 } }));
    },
  };
}

const search = { calls: { search: 1 } } as const;
const soundIn = { input: ['audioInput'] } as const;
const soundOut = { output: ['audioOutput'] } as const;
const imageOut = { output: ['imageOutput'] } as const;

type Check = (value: unknown, has: Known) => boolean;

/** Each field with a check for the values that have a known cost. */
const fields: ReadonlyMap<string, Check> = new Map<string, Check>([
  // Each search has a fee, and the results count as input.
  ['web_search_options', (_value, has) => has.demand(search)],
  // Tokens of sound, in and out, have prices of their own, and so have tokens of images that a model makes.
  ['audio', (_value, has) => has.demand(soundOut)],
  ['modalities', (value, has) => Array.isArray(value) && value.every((one) => isPricedModality(one, has))],
  // A stored prompt of any length before the one in the body.
  ['cached_content', (_value, has) => has.window],
  ['cachedContent', (_value, has) => has.window],
  // A stored conversation of any length.
  ['previous_response_id', (_value, has) => has.window],
  // Fields of vendors with the callers' format: other models to be used instead, and searches for a fee.
  ['models', never],
  ['plugins', never],
  ['search_parameters', never],
  ['enable_search', (value) => value === false],
  // A bound of the output must be a number that every provider reads alike: some read -1 as no limit.
  ['max_completion_tokens', isPositive],
  ['max_tokens', isPositive],
  ['n', isPositive],
]);

function never(): boolean {
  return false;
}

function isPositive(value: unknown): boolean {
  return (count(value) ?? 0) > 0;
}

/** Priority costs about twice as much; reserved capacity has prices by contract. */
function isPricedField({ tier, region }: DearField, has: Known): boolean {
  if (tier === undefined && region === undefined) return false;
  return has.demand({
    ...(tier !== undefined && { serviceTiers: [tier] }),
    ...(region !== undefined && { regions: [region] }),
  });
}

function isPricedModality(modality: unknown, has: Known): boolean {
  if (modality === 'audio') return has.demand(soundOut);
  if (modality === 'image') return has.demand(imageOut);
  return modality === 'text';
}

function fieldOf(body: JsonObject, has: Known): string | undefined {
  return Object.keys(body).find((name) => isGiven(body[name]) && fields.get(name)?.(body[name], has) === false);
}

/** Tools that a vendor runs have fees, and their results count as input. Both are known only for some of them. */
function toolOf({ tools }: JsonObject, has: Known): string | undefined {
  if (!Array.isArray(tools)) return undefined;
  const index = tools.findIndex((tool: unknown) => !isPricedTool(tool, has));
  return index === -1 ? undefined : `tools[${index}]`;
}

function isPricedUse(cost: OwnTool['cost'], has: Known): boolean {
  switch (cost) {
    case 'nothing':
      return true;
    case 'searches':
      return has.demand(search);
    case 'reads':
      return has.window;
    case 'unknown':
      return false;
  }
}

const callersTools: ReadonlySet<unknown> = new Set(['function', 'custom']);

function isPricedTool(tool: unknown, has: Known): boolean {
  if (isObject(tool) && callersTools.has(tool.type)) return true;
  switch (ownTool(tool)) {
    case 'searches':
      return has.demand(search);
    case 'reads':
      return has.window;
    case undefined:
      return false;
  }
}

function contentOf(messages: readonly JsonObject[], has: Known): string | undefined {
  for (const [index, { content, audio }] of messages.entries()) {
    if (isGiven(audio) && !(has.window && has.demand(soundIn))) return `messages[${index}].audio`;
    if (!Array.isArray(content)) continue;
    const part = content.findIndex((one: unknown) => !isPricedPart(one, has));
    if (part !== -1) return `messages[${index}].content[${part}]`;
  }
  return undefined;
}

const pricedParts: ReadonlySet<unknown> = new Set(['text', 'refusal', 'image_url']);

function isPricedPart(part: unknown, has: Known): boolean {
  if (!isObject(part)) return false;
  if (part.type === 'input_audio') return has.demand(soundIn) && (has.window || isBounded(part.input_audio));
  const file = fileOf(part);
  return file === undefined ? pricedParts.has(part.type) : isPricedFile(file, has);
}

function isBounded(audio: unknown): boolean {
  return isObject(audio) && typeof audio.data === 'string' && audioSecondsMax(audio.data) !== undefined;
}

function isPricedFile(file: unknown, has: Known): boolean {
  if (!isObject(file)) return false;
  if (isStored(file)) return has.window;
  if (typeof file.file_data !== 'string') return false;
  return !isSounding(file) || has.demand(soundIn);
}
