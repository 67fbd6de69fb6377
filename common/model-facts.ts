// The vocabulary that describes models, shared by both planes: for the rows of catalog/ and for models that operators
// list under custom providers.
import { containsCredential } from './credential.ts';

/** Capabilities in which models of one vendor differ, each with its possible values. The first value is the default. */
export const capabilityValues = {
  /** Whether the model accepts temperature, top_p and top_k. */
  sampling: [true, false],
  /** Whether temperature and top_p may be used together. */
  samplingTogether: [true, false],
  /** How reasoning is requested. `budget`: as a number of tokens. `adaptive`, `level`, `effort`: as a keyword. */
  reasoning: ['none', 'budget', 'adaptive', 'level', 'effort'],
  /** Whether reasoning can be turned off. */
  reasoningOff: [true, false],
  /** If it cannot be turned off: whether it can be restricted to reasoning between tool calls. */
  reasoningBetweenTools: [false, true],
  /** Whether the effort `xhigh` is accepted where efforts are; otherwise `high` is sent. */
  effortXhigh: [true, false],
  /** Whether a tool call can be forced. */
  forcedTools: [true, false],
  /** Whether the conversation may end with the assistant's turn. */
  prefill: [true, false],
  /** Whether the model then continues the text of that turn, letter by letter, unless it reasons. */
  continuesText: [false, true],
  /** Whether a response by JSON Schema can be requested natively; otherwise a forced tool is used. */
  jsonSchema: [true, false],
  /** Whether a response in any JSON can be requested natively. */
  jsonMode: [true, false],
  /** Whether tools may be combined with a response by JSON Schema. */
  jsonSchemaWithTools: [true, false],
  /** The language of schemas. `openapi`: the subset of OpenAPI 3.0 without references and unions of types. */
  schemaLanguage: ['json-schema', 'openapi'],
  /** The keywords of `reasoning: level`. */
  reasoningLevels: ['low-medium-high', 'minimal-low-medium-high', 'low-high'],
  /** Whether the first of several parallel tool calls must be sent back with the vendor's signature. */
  signedCalls: [false, true],
  /** Whether system messages have a field of their own; otherwise they are put at the start of the first user turn. */
  systemMessages: [true, false],
  /** Whether system messages may follow other turns; otherwise they become notes in the user's turn. */
  systemInPlace: [false, true],
  /** Whether tool results may contain images and documents; otherwise these follow the results in the user's turn. */
  mediaInResults: [false, true],
  /** Whether `cache_control` and `citations` are accepted, where the provider uses the callers' format. */
  cacheMarks: [true, false],
  /** Whether `n` responses can be requested at once. */
  severalResponses: [false, true],
  /** Whether frequency_penalty and presence_penalty are accepted. */
  penalties: [true, false],
  /** Whether log probabilities of tokens can be requested. */
  logprobs: [false, true],
  /** The family of a model, where one API serves models of many makers. */
  family: ['other', 'claude', 'nova', 'mistral', 'command', 'gpt'],
  /** The field for the output limit, where the provider uses the callers' format. */
  outputLimit: ['either', 'max_completion_tokens', 'max_tokens'],
  /** Whether messages must be plain texts: at most one system message, then user and assistant alternating. */
  plainTurns: [false, true],
  /** The longest time for which a prompt can be cached where the caller marks the parts to cache. */
  promptCache: ['none', '5m', '1h'],
} as const;

export type CapabilityName = keyof typeof capabilityValues;
export type Capabilities = { readonly [Name in CapabilityName]: (typeof capabilityValues)[Name][number] };

export function isCapabilityName(text: string): text is CapabilityName {
  return Object.hasOwn(capabilityValues, text);
}

export const capabilities = ['tools', 'vision', 'reasoning', 'json_schema'] as const;

export type Capability = (typeof capabilities)[number];

export function isCapability(text: unknown): text is Capability {
  return capabilities.some((one) => one === text);
}

/**
 * Kinds of token that can have their own price. A kind without one costs as much as its base kind; see `TokenPrices`.
 */
export const tokenKinds = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'cacheWrite12h',
  'audioInput',
  'audioCacheRead',
  'audioOutput',
  'imageOutput',
] as const;

export type TokenKind = (typeof tokenKinds)[number];

/** Items that are charged by the piece, in addition to tokens. */
export const callKinds = ['request', 'search', 'groundedPrompt', 'image'] as const;

export type CallKind = (typeof callKinds)[number];

/** Service tiers other than the usual one, with their own prices. Vendors' names are mapped to these. */
export const serviceTiers = [
  'flex',
  'batch',
  'priority',
  'fast',
  'ultrafast',
  'optimized',
  'scale',
  'reserved',
  'provisioned',
] as const;

export type ServiceTier = (typeof serviceTiers)[number];

export function isServiceTier(text: unknown): text is ServiceTier {
  return serviceTiers.some((one) => one === text);
}

/** USD per million tokens. No model costs this much, so a higher price is a misplaced decimal point. */
export const priceUsdMax = 1000;

const priceForm = /^\d{1,6}(\.\d{1,9})?$/;

/** USD per million tokens, as a decimal string. */
export function isPrice(text: string): boolean {
  return priceForm.test(text) && Number(text) <= priceUsdMax;
}

/** Maximum price of one search, image or request, in USD. */
export const callUsdMax = 10;

/** USD per piece, as a decimal string. */
export function isCallPrice(text: string): boolean {
  return priceForm.test(text) && Number(text) <= callUsdMax;
}

const surchargeMax = 10;

/** A factor on the price of every token: "1.1" adds ten percent. */
export function isSurcharge(text: string): boolean {
  return /^\d{1,2}(\.\d{1,4})?$/.test(text) && Number(text) > 0 && Number(text) <= surchargeMax;
}

/** The location where a request is processed: a cloud region, or a geography such as "us". */
export function isRegionName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}$/.test(text);
}

const modelNameForm = /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,255}$/;

/**
 * Whether a request to a provider may name this model. Credentials are refused, because the name would be logged and
 * sent out.
 */
export function isModelName(text: string): boolean {
  const odd = text.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  return !odd && modelNameForm.test(text) && !containsCredential(text);
}
