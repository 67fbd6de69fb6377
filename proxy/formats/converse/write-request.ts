// Writes the vendor's request: Converse, or ConverseStream for a stream (SDK types `ConverseRequest`,
// `ConverseStreamRequest`), signed with an access key pair or sent with an API key.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { emulateTurns } from '../../conversation/emulated-turns.ts';
import { lostBesideChat } from '../../conversation/message-fields.ts';
import { keepsThinking } from '../../models/claude/thinking-blocks.ts';
import { familyOf } from '../../models/families.ts';
import { commonHeaders, type TranslatedCall, type WrittenRequest } from '../format.ts';
import { type Block, type BlockContext, DocumentNames, textBlocks } from './blocks.ts';
import { fieldRules, readBy } from './fields.ts';
import { type Inference, readInference } from './inference.ts';
import { vendorMessages } from './messages.ts';
import { type ResponsePlan, responsePlan } from './request-plan.ts';
import { readServiceOptions } from './service-options.ts';
import { type VendorTools, vendorTools } from './tools.ts';

export const streamType = 'application/vnd.amazon.eventstream';

/** @throws GatewayError invalid_request, unsupported_parameter */
export function writeConverseRequest(call: TranslatedCall): WrittenRequest {
  const { body, dropped, emulated, maxTokens } = requestBody(call);
  return {
    headers: commonHeaders(call.request.stream, streamType),
    body: writeJson(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

interface RequestBody {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
  /** Set if the caller gave none. */
  readonly maxTokens: number | undefined;
}

function requestBody(call: TranslatedCall): RequestBody {
  const { request, capabilities, outputTokensMax } = call;
  const family = familyOf(capabilities);
  const plan = responsePlan(call);
  const { conversation, emulated } = emulateTurns(request.conversation(), {
    systemInPlace: false,
    // A result accepts what a user turn accepts, except audio.
    inResult: ({ kind }) => capabilities.mediaInResults && kind !== 'audio',
    madeImages: false,
  });
  const inference = readInference(readBy(request.options, 'inference'), {
    family,
    capabilities,
    outputTokensMax,
    respondsByTool: plan.form.kind === 'tool',
    keepsThinking: keepsThinking(conversation.turns),
  });
  const tools = vendorTools(readBy(request.options, 'tools'), plan.tools, {
    family,
    capabilities,
    reasons: inference.reasons,
    turns: conversation.turns,
    strictSchemas: plan.strictSchemas,
    responseTool: plan.form.kind === 'tool' ? plan.form.tool.name : undefined,
  });
  const service = readServiceOptions(readBy(request.options, 'service'), request.stream);
  const dropped = new Set([
    ...fieldRules.dropped(request, { capabilities, family }),
    ...inference.dropped,
    ...service.dropped,
    ...tools.dropped,
    ...unmarkedFields(call, conversation),
    ...request.inMessages(lostBesideChat),
    ...(thinksAgain(capabilities) ? [] : request.inMessages(['messages.thinking_blocks'])),
  ]);
  return {
    body: {
      ...conversationFields(call, conversation, plan, inference),
      ...(Object.keys(inference.config).length > 0 && { inferenceConfig: inference.config }),
      ...(tools.toolConfig && { toolConfig: tools.toolConfig }),
      ...outputConfig(plan),
      ...additionalFields(inference, tools),
      ...service.fields,
    },
    dropped: [...dropped],
    emulated: [
      ...emulated,
      ...(plan.strictSchemas.takeMoves() ? ['tools.parameters'] : []),
      ...(plan.movesFormat ? ['response_format.schema'] : []),
    ],
    maxTokens: inference.chosenMaxTokens,
  };
}

/** Cache marks that have no effect: the model has no cache for them, or there was nothing to mark. */
function unmarkedFields({ request, capabilities }: TranslatedCall, { lostMarks }: Conversation): string[] {
  const { cachesTools } = familyOf(capabilities);
  const hasCache = capabilities.promptCache !== 'none';
  const left = request.cacheMarks().filter((name) => !hasCache || (name.startsWith('tools.') && !cachesTools));
  return hasCache && lostMarks ? [...left, 'messages.cache_control'] : left;
}

/**
 * Writes system texts and messages. For a model without system messages, the system texts begin the first user message.
 */
function conversationFields(
  { capabilities, images }: TranslatedCall,
  conversation: Conversation,
  { form }: ResponsePlan,
  { reasons }: Inference,
): JsonObject {
  const context: BlockContext = {
    promptCache: capabilities.promptCache,
    images,
    documentNames: new DocumentNames(),
  };
  const words: readonly Block[] = form.kind === 'words' ? [{ text: form.text }] : [];
  const system = [...textBlocks(conversation.system, context), ...words];
  const messages = vendorMessages(conversation, capabilities.systemMessages ? [] : system, {
    ...context,
    family: familyOf(capabilities),
    prefill: capabilities.prefill && !reasons,
    thoughts: thinksAgain(capabilities),
  });
  return { ...(capabilities.systemMessages && system.length > 0 && { system }), messages };
}

/** Whether the model gets its earlier thinking back. */
function thinksAgain({ reasoning }: ModelCapabilities): boolean {
  return reasoning === 'budget' || reasoning === 'adaptive';
}

/** SDK type `OutputFormat`, which has the schema as text. */
function outputConfig({ format, form }: ResponsePlan): JsonObject {
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
