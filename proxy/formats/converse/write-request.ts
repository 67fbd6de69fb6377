// The vendor's request: Converse, or ConverseStream for a stream (SDK types `ConverseRequest`, `ConverseStreamRequest`), signed
// with an access key pair or sent with an API key.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import { markedFields } from '../../conversation/cache-marks.ts';
import { type Conversation, readConversation } from '../../conversation/conversation.ts';
import { emulateTurns } from '../../conversation/emulated-turns.ts';
import { GatewayError } from '../../errors.ts';
import { keepsThinking } from '../../models/claude/thinking-blocks.ts';
import { regionOf, signedHeaders, type UnsignedRequest } from '../../providers/credentials/sigv4.ts';
import type { ProviderCall, UpstreamRequest } from '../../providers/provider.ts';
import { droppedFields } from '../chat-completions/fields.ts';
import { type Block, type BlockContext, DocumentNames, textBlocks } from './blocks.ts';
import { familyOf } from './families.ts';
import { type Inference, readInference } from './inference.ts';
import { vendorMessages } from './messages.ts';
import { type AnswerPlan, answerPlan } from './request-plan.ts';
import { readServiceOptions } from './service-options.ts';
import { type VendorTools, vendorTools } from './tools.ts';

export const streamType = 'application/vnd.amazon.eventstream';

/** A promise only where it is signed. @throws GatewayError invalid_request, unsupported_parameter, no_healthy_target */
export function buildCloudRequest(call: ProviderCall): UpstreamRequest | Promise<UpstreamRequest> {
  const { origin, path: base } = call.target.baseUrl;
  const { stream } = call.request;
  // The whole id is one segment, slashes included.
  const path = `${base}/model/${encodeURIComponent(call.model)}/${stream ? 'converse-stream' : 'converse'}`;
  const { body, ...told } = requestBody(call);
  const sent = { origin, path, body: writeJson(body) };
  const accept = ['accept', stream ? streamType : 'application/json', 'user-agent', 'model-gateway'];
  const finished = (headers: readonly string[]) => ({ ...sent, headers: [...headers, ...accept], ...told });
  const headers = authorized(call, { ...sent, headers: { 'content-type': 'application/json' } });
  return headers instanceof Promise ? headers.then(finished) : finished(headers);
}

/** @returns the request's headers with those that authorize it */
function authorized({ target, now }: ProviderCall, request: UnsignedRequest): string[] | Promise<string[]> {
  const { accessKeyId, secretAccessKey, sessionToken, apiKey } = target.credential;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const region = target.region ?? regionOf(target.baseUrl);
    if (region === undefined) throw unusable('the target has no region');
    const keys = { accessKeyId, secretAccessKey, sessionToken };
    return signedHeaders(request, keys, { region, now, keep: target.providerKeyId !== undefined });
  }
  if (apiKey === undefined) throw unusable('the target has neither access keys nor an API key');
  return ['authorization', `Bearer ${apiKey.reveal()}`, ...Object.entries(request.headers).flat()];
}

function unusable(why: string): GatewayError {
  return new GatewayError('no_healthy_target', { cause: new Error(why) });
}

interface RequestBody extends Pick<UpstreamRequest, 'dropped' | 'emulated' | 'maxTokens'> {
  readonly body: JsonObject;
}

function requestBody(call: ProviderCall): RequestBody {
  const { request, traits, outputTokensMax } = call;
  const family = familyOf(traits);
  const plan = answerPlan(call);
  const { conversation, emulated } = emulateTurns(readConversation(request), {
    systemInPlace: false,
    // It takes what the user's turn takes, sound aside.
    inResult: ({ kind }) => traits.mediaInResults && kind !== 'audio',
    madeImages: false,
  });
  const inference = readInference(request.body, {
    family,
    traits,
    outputTokensMax,
    answersByTool: plan.form.kind === 'tool',
    keepsThinking: keepsThinking(conversation.turns),
  });
  const tools = vendorTools(request.body, plan.tools, {
    family,
    traits,
    reasons: inference.reasons,
    turns: conversation.turns,
    strictSchemas: plan.strictSchemas,
  });
  const service = readServiceOptions(request.body, request.stream);
  const mapped = family.hasClaudeFields ? mappedForClaude : mappedFields;
  const dropped = new Set([
    ...droppedFields(request.body, mapped),
    ...inference.dropped,
    ...service.dropped,
    ...tools.dropped,
    ...unmarkedFields(call, conversation),
  ]);
  return {
    body: {
      ...said(call, conversation, plan, inference),
      ...(Object.keys(inference.config).length > 0 && { inferenceConfig: inference.config }),
      ...(tools.toolConfig && { toolConfig: tools.toolConfig }),
      ...outputConfig(plan),
      ...additionalFields(inference, tools),
      ...service.fields,
    },
    dropped: [...dropped],
    ...emulatedFields([
      ...emulated,
      ...(plan.strictSchemas.takeMoves() ? ['tools.parameters'] : []),
      ...(plan.movesFormat ? ['response_format.schema'] : []),
    ]),
    ...(inference.chosenMaxTokens !== undefined && { maxTokens: inference.chosenMaxTokens }),
  };
}

function emulatedFields(emulated: readonly string[]): Pick<UpstreamRequest, 'emulated'> {
  return emulated.length > 0 ? { emulated } : {};
}

/** Marks for a cache that the model has not, or that found nothing to mark. */
function unmarkedFields({ request, traits }: ProviderCall, { lostMarks }: Conversation): string[] {
  const { cachesTools } = familyOf(traits);
  const hasCache = traits.promptCache !== 'none';
  const left = markedFields(request.body).filter(
    (name) => !hasCache || (name.startsWith('tools.') && !cachesTools),
  );
  return hasCache && lostMarks ? [...left, 'messages.cache_control'] : left;
}

const mappedFields: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'reasoning_effort',
  'service_tier',
  'metadata',
  'guardrailConfig',
]);
const mappedForClaude: ReadonlySet<string> = new Set([...mappedFields, 'thinking']);

/** System texts and messages. A model without a place for the former finds them before all else that the user says. */
function said(
  { traits, images }: ProviderCall,
  conversation: Conversation,
  { form }: AnswerPlan,
  { reasons }: Inference,
): JsonObject {
  const context: BlockContext = {
    promptCache: traits.promptCache,
    images,
    documentNames: new DocumentNames(),
  };
  const words: readonly Block[] = form.kind === 'words' ? [{ text: form.text }] : [];
  const system = [...textBlocks(conversation.system, context), ...words];
  const messages = vendorMessages(conversation, traits.systemMessages ? [] : system, {
    ...context,
    family: familyOf(traits),
    prefill: traits.prefill && !reasons,
    thoughts: traits.reasoning === 'budget' || traits.reasoning === 'adaptive',
  });
  return { ...(traits.systemMessages && system.length > 0 && { system }), messages };
}

/** SDK type `OutputFormat`: the schema is text. */
function outputConfig({ format, form }: AnswerPlan): JsonObject {
  if (form.kind !== 'native' || format.kind !== 'schema') return {};
  const { name, description } = format;
  const jsonSchema = {
    schema: JSON.stringify(form.schema),
    name,
    ...(description !== undefined && { description }),
  };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

function additionalFields({ fields }: Inference, { ownChoice }: VendorTools): JsonObject {
  const all = { ...fields, ...(ownChoice && { tool_choice: ownChoice }) };
  return Object.keys(all).length === 0 ? {} : { additionalModelRequestFields: all };
}
