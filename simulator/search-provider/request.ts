// Parses GenerateContentRequest and CountTokensRequest: the JSON, the model, then the rules. Follows the vendor's
// message definitions. The vendor reports one error at a time; the order of the rules is the simulator's own.
import { estimateTokens } from '../tokens.ts';
import { type Content, checkContents, checkInstruction, content, textOf } from './content.ts';
import { checkGeneration, checkSafety, type GenerationConfig, generationConfig, safetySettings } from './generation.ts';
import { findModel, type SimulatedModel, type Version } from './models.ts';
import { bytes, enumeration, flag, listOf, type Message, mapOf, message, type Reader, text } from './proto.ts';
import { invalidArgument, invalidField, Refusal } from './refusal.ts';
import { checkTools, declarationsOf, hasBuiltIn, toolFields } from './tools.ts';
import { checkTurns } from './turns.ts';

const requestFields = {
  model: text,
  contents: listOf(content),
  systemInstruction: content,
  ...toolFields,
  safetySettings,
  generationConfig,
  cachedContent: text,
  serviceTier: enumeration('ServiceTier', ['UNSPECIFIED', 'STANDARD', 'FLEX', 'PRIORITY']),
  labels: mapOf(text),
  store: flag,
  continuationToken: bytes,
};

const readRequest = message('GenerateContentRequest', requestFields);
type RequestBody = Message<typeof requestFields>;

const readCount: Reader<{ contents?: readonly Content[]; generateContentRequest?: RequestBody }> = message(
  'CountTokensRequest',
  { model: text, contents: listOf(content), generateContentRequest: readRequest },
);

/** The parts of a request's path. */
export interface Call {
  readonly version: Version;
  readonly model: string;
  /** A name such as `generateContent`. */
  readonly method: string;
}

export interface PromptTokens {
  readonly text: number;
  readonly image: number;
  /** Tokens of a cached prefix, which `text` includes. */
  readonly cached: number;
}

/** A request that passed every check. */
export interface GenerateRequest {
  readonly body: RequestBody;
  readonly model: SimulatedModel;
  readonly contents: readonly Content[];
  readonly config: GenerationConfig;
  readonly promptTokens: PromptTokens;
}

/** @throws Refusal, FieldFault */
export function parseGenerate(json: unknown, call: Call): GenerateRequest {
  return checked(readRequest(json, ''), call);
}

/** @throws Refusal, FieldFault */
export function parseCount(json: unknown, call: Call): PromptTokens {
  const { contents, generateContentRequest: whole } = readCount(json, '');
  if (contents !== undefined && whole !== undefined) {
    throw invalidArgument('contents and generate_content_request cannot both be set.');
  }
  if (whole !== undefined && whole.model !== `models/${call.model}`) {
    const what = `must be models/${call.model}, as in the path`;
    throw invalidField('generate_content_request.model', what);
  }
  return checked(whole ?? { ...(contents && { contents }) }, call).promptTokens;
}

export function unknownModel({ version, model, method }: Call): Refusal {
  const message = `models/${model} is not found for API version ${version}, or is not supported for ${method}. Call ListModels to see the list of available models and their supported methods.`;
  return new Refusal(404, message);
}

function checked(body: RequestBody, call: Call): GenerateRequest {
  const model = findModel(call.model, call.version);
  if (model === undefined || !model.generates) throw unknownModel(call);
  const { contents = [], generationConfig: config = {} } = body;
  checkContents(contents);
  if (body.systemInstruction) checkInstruction(body.systemInstruction);
  if (body.systemInstruction && !model.instruction) {
    throw invalidArgument(`Developer instruction is not enabled for models/${model.name}`);
  }
  checkTurns(contents, model);
  checkTools(body, model);
  checkGeneration(config, model);
  checkSafety(body.safetySettings ?? []);
  checkCombinations(body, config, { model, streamed: call.method === 'streamGenerateContent' });
  checkCache(body);
  const request = { body, model, contents, config, promptTokens: promptTokensOf(body) };
  checkLength(request);
  return request;
}

function checkCombinations(
  body: RequestBody,
  config: GenerationConfig,
  { model, streamed }: { readonly model: SimulatedModel; readonly streamed: boolean },
): void {
  if (streamed && (config.candidateCount ?? 1) > 1) {
    throw invalidArgument('Multiple candidates is not supported for streaming requests.');
  }
  // The simulator's responses never contain a continuation token, so every token is invalid.
  if (body.continuationToken !== undefined) throw invalidArgument('Invalid continuation token.');
  const { responseMimeType: type = 'text/plain' } = config;
  if (type === 'text/plain') return;
  const unsupported = `with a response mime type: '${type}' is unsupported`;
  if (declarationsOf(body).length > 0) {
    if (!model.combinesTools) throw invalidArgument(`Function calling ${unsupported}`);
    if (body.toolConfig?.functionCallingConfig?.mode === 'ANY') {
      throw invalidArgument(`Forced function calling (ANY mode) ${unsupported}`);
    }
  } else if (hasBuiltIn(body) && !model.combinesTools) throw invalidArgument(`Tool use ${unsupported}`);
}

/** The simulator stores no caches: a cache exists if its name begins with `sim`, and has this many tokens. */
const cachedTokens = 2_048;

function checkCache({ cachedContent: name, systemInstruction, tools, toolConfig }: RequestBody): void {
  if (name === undefined) return;
  if (systemInstruction !== undefined || tools !== undefined || toolConfig !== undefined) {
    const message =
      'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.\n\nProposed fix: move those values to CachedContent from GenerateContent request.';
    throw invalidArgument(message);
  }
  if (!/^cachedContents\/[\w-]+$/.test(name)) {
    throw invalidField('cached_content', 'must be of the form cachedContents/{cachedContent}');
  }
  if (name.startsWith('cachedContents/sim')) return;
  throw new Refusal(403, 'CachedContent not found (or permission denied)');
}

function checkLength({ model, promptTokens }: GenerateRequest): void {
  const count = promptTokens.text + promptTokens.image;
  if (count <= model.inputTokensMax) return;
  const message = `The input token count (${count}) exceeds the maximum number of tokens allowed (${model.inputTokensMax}).`;
  throw invalidArgument(message);
}

/** Tokens of an image according to the vendor's pages. Other media count the same here. */
const imageTokens = 258;

function promptTokensOf(body: RequestBody): PromptTokens {
  const contents = [...(body.contents ?? []), ...(body.systemInstruction ? [body.systemInstruction] : [])];
  const parts = contents.flatMap((one) => one.parts ?? []);
  const called = parts.flatMap((part) => part.functionCall ?? part.functionResponse ?? []);
  const text = [...called, ...declarationsOf(body)].map((one) => JSON.stringify(one)).join('');
  const cached = body.cachedContent === undefined ? 0 : cachedTokens;
  return {
    text: estimateTokens(contents.map(textOf).join('')) + estimateTokens(text) + cached,
    image: parts.filter((part) => part.inlineData ?? part.fileData).length * imageTokens,
    cached,
  };
}
