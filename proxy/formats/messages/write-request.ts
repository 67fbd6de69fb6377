// Writes one attempt's request (SDK type `MessageCreateParams` of @anthropic-ai/sdk), in the API version that still
// accepts sampling parameters for models that have them.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { emulateTurns, type TurnAbilities } from '../../conversation/emulated-turns.ts';
import { lostBesideChat } from '../../conversation/message-fields.ts';
import { readSampling } from '../../models/claude/sampling.ts';
import { noThinking, readThinking, type Thinking } from '../../models/claude/thinking.ts';
import { keepsThinking } from '../../models/claude/thinking-blocks.ts';
import { commonHeaders, type TranslatedCall, type WrittenRequest } from '../format.ts';
import { textBlocks } from './content.ts';
import { fieldRules, readBy } from './fields.ts';
import { withEnd, writeMessages } from './messages.ts';
import { outputLimit, writeOptions } from './options.ts';
import { type Plan, responsePlan } from './request-plan.ts';
import { writeTools } from './tools.ts';

const apiVersion = '2023-06-01';

export function writeMessagesRequest(call: TranslatedCall): WrittenRequest {
  const { body, dropped, emulated, maxTokens } = vendorRequest(call);
  return {
    headers: ['anthropic-version', apiVersion, ...commonHeaders(call.request.stream)],
    body: writeJson(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

interface VendorRequest {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
  readonly emulated: readonly string[];
  /** Set if the caller gave none. */
  readonly maxTokens: number | undefined;
}

function vendorRequest(call: TranslatedCall): VendorRequest {
  const { request, model, capabilities } = call;
  const { options: fields } = request;
  const unmapped = fieldRules.dropped(request, call);
  const plan = responsePlan(call);
  const { conversation, emulated } = emulateTurns(request.conversation(), abilitiesOf(call));
  const thinks = capabilities.reasoning !== 'none';
  const messages = writeMessages(conversation, thinks);
  const limit = outputLimit(call);
  const thinking = thinkingFor(call, plan, { conversation, maxTokens: Number(limit.tokens) });
  const sampling = readSampling(readBy(fields, 'sampling'), capabilities, thinking.on);
  const tools = writeTools(readBy(fields, 'tools'), plan, {
    capabilities,
    conversation,
    thinking: thinking.on,
  });
  const options = writeOptions(fields);
  const prefill = capabilities.prefill && !thinking.on && plan.form.kind !== 'native';
  return {
    body: {
      model,
      max_tokens: limit.tokens,
      ...system(conversation, plan),
      messages: withEnd(messages, prefill),
      ...tools.fields,
      thinking: thinking.config,
      ...outputConfig(thinking, plan),
      temperature: sampling.temperature,
      top_p: sampling.topP,
      top_k: sampling.topK,
      ...options.fields,
      stream: request.stream || undefined,
    },
    dropped: [
      ...unmapped,
      ...[thinking, sampling, tools, options].flatMap((piece) => piece.dropped),
      ...(conversation.lostMarks ? ['messages.cache_control'] : []),
      ...request.inMessages(lostBesideChat),
      ...(thinks ? [] : request.inMessages(['messages.thinking_blocks'])),
    ],
    emulated: [
      ...emulated,
      ...(plan.schemas.takeMoves() ? ['tools.parameters'] : []),
      ...(plan.movesFormat ? ['response_format.schema'] : []),
    ],
    maxTokens: limit.isOurs ? Number(limit.tokens) : undefined,
  };
}

/** The vendor accepts images and documents in results, but not in assistant turns. */
function abilitiesOf({ capabilities }: TranslatedCall): TurnAbilities {
  return {
    systemInPlace: capabilities.systemInPlace,
    inResult: () => capabilities.mediaInResults,
    madeImages: false,
  };
}

function thinkingFor(
  { request, capabilities }: TranslatedCall,
  { form }: Plan,
  { conversation, maxTokens }: { readonly conversation: Conversation; readonly maxTokens: number },
): Thinking {
  // A forced call excludes thinking, and the output mode has priority.
  const options = readBy(request.options, 'thinking');
  if (form.kind === 'tool') return noThinking(options);
  const thinking = readThinking(options, capabilities, maxTokens);
  return thinking.config?.type === 'enabled' && !keepsThinking(conversation.turns) ? noThinking(options) : thinking;
}

function system({ system: parts }: Conversation, { form }: Plan): JsonObject {
  const instructions = form.kind === 'words' ? [{ kind: 'text', text: form.text, cache: undefined } as const] : [];
  const blocks = textBlocks([...parts, ...instructions]);
  return blocks.length === 0 ? {} : { system: blocks };
}

function outputConfig({ effort }: Thinking, { form }: Plan): JsonObject {
  const config = {
    ...(effort !== undefined && { effort }),
    ...(form.kind === 'native' && { format: { type: 'json_schema', schema: form.schema } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}
