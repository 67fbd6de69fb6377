// The words in which models are described, shared by both planes: the rows of catalog/, and the models that operators list
// under providers of their own.
import { holdsCredential } from './credential.ts';

/** What models of one vendor differ in. Each trait with the values it can have; the first is taken where nothing says otherwise. */
export const traitValues = {
  /** Whether temperature, top_p and top_k are taken at all. */
  sampling: [true, false],
  /** Whether temperature and top_p may come together. */
  samplingTogether: [true, false],
  /** How reasoning is asked for. `budget`: in tokens. `adaptive`, `level`, `effort`: by a word. */
  reasoning: ['none', 'budget', 'adaptive', 'level', 'effort'],
  /** Whether the model can be told not to reason. */
  reasoningOff: [true, false],
  /** Whether one that cannot can be told to reason between tool calls only. */
  reasoningBetweenTools: [false, true],
  /** Whether the effort `xhigh` is taken where efforts are; else `high` stands in. */
  effortXhigh: [true, false],
  /** Whether a tool call can be forced. */
  forcedTools: [true, false],
  /** Whether the conversation may end with the assistant's turn. */
  prefill: [true, false],
  /** Whether an answer by JSON Schema can be asked for natively; else a forced tool stands in. */
  jsonSchema: [true, false],
  /** Whether an answer in any JSON can be asked for natively. */
  jsonMode: [true, false],
  /** Whether tools may stand beside an answer by JSON Schema. */
  jsonSchemaWithTools: [true, false],
  /** What schemas are written in. `openapi`: the subset of OpenAPI 3.0 without references and unions of types. */
  schemaLanguage: ['json-schema', 'openapi'],
  /** The words of `reasoning: level`. */
  reasoningLevels: ['low-medium-high', 'minimal-low-medium-high', 'low-high'],
  /** Whether the first of the calls made at once must come back with the vendor's signature on it. */
  signedCalls: [false, true],
  /** Whether system messages have a place of their own; else they open the first user turn. */
  systemMessages: [true, false],
  /** Whether system messages may stand behind other turns; else they are notes in the user's turn. */
  systemInPlace: [false, true],
  /** Whether tool results may hold images and documents; else these stand in the user's turn behind them. */
  mediaInResults: [false, true],
  /** Whether `cache_control` and `citations` may come along, where the callers' format is spoken. */
  cacheMarks: [true, false],
  /** Whether `n` answers can be asked for at once. */
  severalResponses: [false, true],
  /** Whether frequency_penalty and presence_penalty are taken. */
  penalties: [true, false],
  /** Whether the log probabilities of tokens can be asked for. */
  logprobs: [false, true],
  /** Whose kind a model is, where one API serves models of many makers. */
  family: ['other', 'claude', 'nova', 'mistral', 'command', 'gpt'],
  /** Which field the limit of the output is given in, where the callers' format is spoken. */
  outputLimit: ['either', 'max_completion_tokens', 'max_tokens'],
  /** Whether messages must be plain texts: one of the system's at most, then user and assistant by turns. */
  plainTurns: [false, true],
  /** How long a prompt can be cached at most, where the caller says what. */
  promptCache: ['none', '5m', '1h'],
} as const;

export type TraitName = keyof typeof traitValues;
export type Traits = { readonly [Name in TraitName]: (typeof traitValues)[Name][number] };

export function isTraitName(text: string): text is TraitName {
  return Object.hasOwn(traitValues, text);
}

export const capabilities = ['tools', 'vision', 'reasoning', 'json_schema'] as const;

export type Capability = (typeof capabilities)[number];

export function isCapability(text: unknown): text is Capability {
  return capabilities.some((one) => one === text);
}

/** Kinds of token that have a price of their own. One without costs what its base kind does; see `TokenPrices`. */
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

/** What is charged beside tokens, by the piece. */
export const callKinds = ['request', 'search', 'groundedPrompt', 'image'] as const;

export type CallKind = (typeof callKinds)[number];

/** How a request may be served, beside the usual way, at prices of its own. Vendors' words become one of these. */
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

/** USD per million tokens. No model costs as much: what does is a slip of the decimal point. */
export const priceUsdMax = 1000;

const priceForm = /^\d{1,6}(\.\d{1,9})?$/;

/** USD per million tokens, as a decimal string. */
export function isPrice(text: string): boolean {
  return priceForm.test(text) && Number(text) <= priceUsdMax;
}

/** USD for one search, image or request. */
export const callUsdMax = 10;

/** USD by the piece, as a decimal string. */
export function isCallPrice(text: string): boolean {
  return priceForm.test(text) && Number(text) <= callUsdMax;
}

const surchargeMax = 10;

/** What every token costs more, as a factor: "1.1" is ten percent. */
export function isSurcharge(text: string): boolean {
  return /^\d{1,2}(\.\d{1,4})?$/.test(text) && Number(text) > 0 && Number(text) <= surchargeMax;
}

/** Where a request is processed: a region of a cloud, or a geography such as "us". */
export function isRegionName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}$/.test(text);
}

const modelNameForm = /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,255}$/;

/** Whether a provider can be asked for a model of this name. A credential in its place would be logged, and sent out. */
export function isModelName(text: string): boolean {
  const odd = text.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  return !odd && modelNameForm.test(text) && !holdsCredential(text);
}
