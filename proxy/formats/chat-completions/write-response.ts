// Writes a whole response as a chat completion (SDK type `ChatCompletion`) from what another format read. Responses in
// the callers' own format pass through and are not written here.
import type { JsonObject } from '../../../common/json.ts';
import type { CalledTool, Finish, FinishReason, ResponseChoice, ResponseMessage } from '../../conversation/response.ts';
import type { Usage } from '../../conversation/usage.ts';

/** Further fields of a choice about its end. Empty if the callers' format has the same reason as the vendor. */
export function finishExtras({ reason, native, stopSequence, message }: Finish): JsonObject {
  return {
    ...(native !== undefined && native.toLowerCase() !== reason && { native_finish_reason: native }),
    ...(message !== undefined && { native_finish_message: message }),
    ...(stopSequence !== undefined && { stop_sequence: stopSequence }),
  };
}

export interface CompletionForm {
  /** The value of `tool_calls` in a response without calls. */
  readonly noCalls: 'null' | 'array';
  /** The request used the deprecated `functions`. */
  readonly asFunctions: boolean;
}

export function completionBody(completion: ResponseMessage, form: CompletionForm): Buffer {
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

function choiceBody(choice: ResponseChoice, index: number, form: CompletionForm): JsonObject {
  const { finish, content, reasoning, refusal, calls, logprobs = null, extras } = choice;
  const message: JsonObject = {
    role: 'assistant',
    // Content is null only beside calls: clients join the text of all other messages.
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

export function finishReasonOf(reason: FinishReason, { asFunctions }: Pick<CompletionForm, 'asFunctions'>): string {
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
