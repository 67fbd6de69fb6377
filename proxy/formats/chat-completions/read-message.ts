// Reads a whole chat completion (SDK type `ChatCompletion`) into the shape that all formats share, to write it in the
// client's format.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { CalledTool, Finish, FinishReason, ResponseMessage } from '../../conversation/response.ts';
import { noUsage } from '../../conversation/usage.ts';
import { readUsage } from './usage.ts';

/** @param completion parsed with exact numbers */
export function messageOf(completion: JsonObject): ResponseMessage {
  const { id, created, model, choices, usage, service_tier: served } = completion;
  return {
    id: textOr(id, ''),
    created: Number(created ?? 0),
    model: textOr(model, ''),
    choices: objectsOf(choices).map(choiceOf),
    usage: readUsage(usage, { served }) ?? noUsage,
  };
}

function choiceOf(choice: JsonObject): ResponseMessage['choices'][number] {
  const {
    content,
    refusal,
    reasoning_content,
    reasoning,
    tool_calls,
    function_call,
    role: _role,
    ...extras
  } = isObject(choice.message) ? choice.message : {};
  const reasoned = textOr(reasoning_content, textOr(reasoning, ''));
  return {
    finish: finishOf(choice),
    content: textOf(content),
    reasoning: reasoned === '' ? undefined : reasoned,
    refusal: typeof refusal === 'string' ? refusal : undefined,
    calls: objectsOf(tool_calls).map(callOf),
    ...(isObject(choice.logprobs) && { logprobs: choice.logprobs }),
    extras,
  };
}

/** Some servers send the content in parts. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content === '' ? undefined : content;
  const text = objectsOf(content)
    .map((part) => textOr(part.text, ''))
    .join('');
  return text === '' ? undefined : text;
}

/** Reads a call, or a chunk's piece of one: a function, or a tool with free text. */
export function callOf({ id, function: called, custom }: JsonObject): CalledTool {
  const [body = {}] = objectsOf([custom, called]);
  return { id: textOr(id, ''), name: textOr(body.name, ''), arguments: textOr(body.arguments, textOr(body.input, '')) };
}

/** Reads a choice, or a chunk's. */
export function finishOf(choice: JsonObject): Finish {
  const { finish_reason: reason, native_finish_reason: native, stop_sequence: sequence, stop_reason: stopped } = choice;
  const stopSequence = [sequence, stopped].find((one) => typeof one === 'string');
  return {
    reason: reasons.get(reason) ?? 'stop',
    native: typeof native === 'string' ? native : undefined,
    ...(typeof stopSequence === 'string' && { stopSequence }),
  };
}

const reasons: ReadonlyMap<unknown, FinishReason> = new Map<string, FinishReason>([
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['error', 'error'],
]);

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
