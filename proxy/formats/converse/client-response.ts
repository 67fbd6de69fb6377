// Writes a whole response for clients of Converse (SDK type `ConverseResponse`).
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type {
  CalledTool,
  Finish,
  ResponseChoice,
  ResponseMessage,
  ThinkingBlock,
} from '../../conversation/response.ts';
import type { Usage } from '../../conversation/usage.ts';
import { readThinkingBlock } from '../../models/claude/thinking-blocks.ts';

/** @param elapsedMs since the request arrived */
export function writeConverseResponse({ choices, usage }: ResponseMessage, elapsedMs: number): JsonObject {
  const [choice] = choices;
  if (choice === undefined) throw new Error('a response has a choice');
  return {
    output: { message: { role: 'assistant', content: blocksOf(choice) } },
    stopReason: stopReason(choice.finish),
    usage: usageFields(usage),
    metrics: metricsOf(elapsedMs),
  };
}

function blocksOf({ content, reasoning = '', refusal, calls, extras = {} }: ResponseChoice): readonly JsonObject[] {
  const text = [content, refusal ?? extras.refusal].filter((one) => typeof one === 'string').join('');
  const signed = objectsOf(extras.thinking_blocks).flatMap((block) => readThinkingBlock(block) ?? []);
  const thoughts = signed.length > 0 || reasoning === '' ? signed.map(thoughtBlock) : [plainThought(reasoning)];
  return [
    ...thoughts,
    ...(text === '' ? [] : [{ text }]),
    ...objectsOf(extras.images)
      .flatMap(imageOf)
      .map(({ format, bytes }) => ({ image: { format, source: { bytes } } })),
    ...calls.map(callBlock),
  ];
}

function thoughtBlock(block: ThinkingBlock): JsonObject {
  if (block.type === 'redacted_thinking') return { reasoningContent: { redactedContent: block.data } };
  return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
}

/** Reasoning of a model that signs nothing. */
function plainThought(text: string): JsonObject {
  return { reasoningContent: { reasoningText: { text } } };
}

function callBlock({ id: toolUseId, name, arguments: args }: CalledTool): JsonObject {
  const input = parseExactJson(args === '' ? '{}' : args);
  return { toolUse: { toolUseId, name, input: isObject(input) ? input : {} } };
}

export interface MadeImage {
  /** SDK type `ImageFormat`. */
  readonly format: string;
  /** In base64. */
  readonly bytes: string;
}

/** An image that the model made. */
export function imageOf({ image_url: image }: JsonObject): readonly MadeImage[] {
  const url = isObject(image) && typeof image.url === 'string' ? image.url : '';
  const [, format] = /^data:image\/(\w+);base64,/.exec(url.slice(0, 256)) ?? [];
  return format === undefined ? [] : [{ format, bytes: url.slice(url.indexOf(',') + 1) }];
}

/** Words of this format that have no counterpart in chat completions, or share one there. */
const ownReasons: ReadonlySet<string> = new Set([
  ...['stop_sequence', 'guardrail_intervened', 'malformed_model_output', 'malformed_tool_use'],
  'model_context_window_exceeded',
]);

/** What another vendor reports of calls that nobody can use (SDK type `FinishReason` of @google/genai). */
const callFailures: ReadonlySet<string> = new Set([
  ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
]);

/** SDK type `StopReason`. */
export function stopReason({ reason, native, stopSequence }: Finish): string {
  if (native !== undefined && ownReasons.has(native)) return native;
  switch (reason) {
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'content_filtered';
    case 'error':
      return native !== undefined && callFailures.has(native) ? 'malformed_tool_use' : 'malformed_model_output';
    case 'stop':
      return stopSequence === undefined ? 'end_turn' : 'stop_sequence';
  }
}

/** SDK type `TokenUsage`: its input tokens exclude those of the prompt cache, its total includes them. */
export function usageFields(usage: Usage): JsonObject {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  return {
    inputTokens: Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens),
    outputTokens: completionTokens,
    totalTokens: promptTokens + completionTokens,
    cacheReadInputTokens: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens,
    ...(cacheWrite1hTokens > 0 && { cacheDetails: [{ ttl: '1h', inputTokens: cacheWrite1hTokens }] }),
  };
}

/** SDK type `ConverseMetrics`. */
export function metricsOf(elapsedMs: number): JsonObject {
  return { latencyMs: Math.round(elapsedMs) };
}
