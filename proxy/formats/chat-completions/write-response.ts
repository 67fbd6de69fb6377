// The common answer shape: a completion built from what a vendor said (SDK type `ChatCompletion`). Translators fill it in;
// answers in the callers' own format pass through and never come here.
import type { JsonObject } from '../../../common/json.ts';
import type { Usage } from '../../conversation/usage.ts';

/** `error`: the response failed, though it came with a status of success. No word of the GPT vendor's; OpenRouter uses it too. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/** Why a response ended. */
export interface Finish {
  readonly reason: FinishReason;
  /** The same in the vendor's word, where it gave one. */
  readonly native: string | undefined;
  /** Which of the request's stop texts was met, where the vendor says so. */
  readonly stopSequence?: string | undefined;
  /** What the vendor says about it. */
  readonly message?: string | undefined;
}

/** Further fields of a choice that say why it ended: none where the vendor has the callers' word for it. */
export function finishExtras({ reason, native, stopSequence, message }: Finish): JsonObject {
  return {
    ...(native !== undefined && native.toLowerCase() !== reason && { native_finish_reason: native }),
    ...(message !== undefined && { native_finish_message: message }),
    ...(stopSequence !== undefined && { stop_sequence: stopSequence }),
  };
}

export interface CalledTool {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface Completion {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The model that answered. */
  readonly model: string;
  readonly choices: readonly CompletionChoice[];
  readonly usage: Usage;
  /** Fields of `usage` beyond the common ones. */
  readonly usageExtras?: JsonObject;
  /** Further fields at the top. */
  readonly extras?: JsonObject;
}

export interface CompletionChoice {
  readonly finish: Finish;
  /** Undefined where there is none. */
  readonly content: string | undefined;
  readonly reasoning?: string | undefined;
  readonly refusal?: string | undefined;
  readonly calls: readonly CalledTool[];
  readonly logprobs?: JsonObject;
  /** Further fields of the message: `annotations`, `thinking_blocks`… */
  readonly extras?: JsonObject;
}

export interface CompletionForm {
  /** What stands in `tool_calls` of an answer without any. */
  readonly noCalls: 'null' | 'array';
  /** The request used the deprecated `functions`. */
  readonly asFunctions: boolean;
}

export function completionBody(completion: Completion, form: CompletionForm): Buffer {
  const { id, created, model, choices, usage, usageExtras, extras } = completion;
  const body = {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: choices.map((choice, index) => choiceBody(choice, index, form)),
    usage: usageBody(usage, usageExtras),
    system_fingerprint: null,
    ...extras,
  };
  return Buffer.from(JSON.stringify(body));
}

function choiceBody(choice: CompletionChoice, index: number, form: CompletionForm): JsonObject {
  const { finish, content, reasoning, refusal, calls, logprobs = null, extras } = choice;
  const message: JsonObject = {
    role: 'assistant',
    // Null only beside calls: clients join the text of all others.
    content: content ?? (calls.length > 0 ? null : ''),
    refusal: refusal ?? null,
  };
  if (reasoning !== undefined && reasoning !== '') message.reasoning_content = reasoning;
  Object.assign(message, callFields(calls, form), extras);
  const finish_reason = finishReasonOf(finish.reason, form);
  return { index, message, logprobs, finish_reason, ...finishExtras(finish) };
}

function callFields(calls: readonly CalledTool[], { noCalls, asFunctions }: CompletionForm): JsonObject {
  const none = noCalls === 'array' ? { tool_calls: [] } : { tool_calls: null, function_call: null };
  const [first] = calls;
  if (first === undefined) return none;
  if (asFunctions) return { ...none, function_call: { name: first.name, arguments: first.arguments } };
  return {
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })),
  };
}

export function finishReasonOf(
  reason: FinishReason,
  { asFunctions }: Pick<CompletionForm, 'asFunctions'>,
): string {
  return reason === 'tool_calls' && asFunctions ? 'function_call' : reason;
}

/** SDK type `CompletionUsage`. */
export function usageBody(usage: Usage, extras: JsonObject = {}): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    ...extras,
  };
}
