// Rules among the parameters of a request, and of the model. The vendor reports one error at a time; the order of the
// rules is the simulator's own.
import { isObject, type Json } from '../checks.ts';
import { textOf } from './messages.ts';
import { badField } from './refusal.ts';
import type { ChatRequest } from './request.ts';
import { nameOf } from './tools.ts';

/** @throws Refusal */
export function checkRules(request: ChatRequest): void {
  for (const rule of rules) rule(request);
}

/** The rules that apply to models of every make. @throws Refusal */
export function checkFit(request: ChatRequest): void {
  for (const rule of [choiceNeedsTools, chosenToolExists, outputFits, contextFits]) rule(request);
}

type Rule = (request: ChatRequest) => void;

const given = (value: unknown) => value !== undefined && value !== null;

function onlyWith(field: string, other: string, phrase: string): Rule {
  return ({ body }) => {
    if (!given(body[field]) || (given(body[other]) && body[other] !== false)) return;
    throw badField(field, `The '${field}' parameter is only allowed when '${other}' ${phrase}.`);
  };
}

const choiceNeedsTools = onlyWith('tool_choice', 'tools', 'are specified');

// First requirements between parameters, then parameters that the model does not accept, then sizes.
const rules: readonly Rule[] = [
  onlyWith('stream_options', 'stream', 'is enabled'),
  onlyWith('metadata', 'store', 'is enabled'),
  onlyWith('top_logprobs', 'logprobs', 'is enabled'),
  choiceNeedsTools,
  onlyWith('parallel_tool_calls', 'tools', 'are specified'),
  onlyWith('function_call', 'functions', 'are specified'),
  chosenToolExists,
  jsonIsMentioned,
  oneTokenLimit,
  reasoningLimits,
  effortIsKnown,
  toolsWithoutEffort,
  modelAbilities,
  outputFits,
  contextFits,
];

function chosenToolExists({ body }: ChatRequest): void {
  const choice = body.tool_choice;
  if (!isObject(choice) || choice.type === 'allowed_tools') return;
  const name = nameOf(choice);
  if ((body.tools as readonly Json[]).some((tool) => tool.type === choice.type && nameOf(tool) === name)) return;
  throw badField('tool_choice', `Invalid value for 'tool_choice': tool '${name}' not found in 'tools' parameter.`);
}

function jsonIsMentioned({ body, messages: list }: ChatRequest): void {
  if (!isObject(body.response_format) || body.response_format.type !== 'json_object') return;
  if (list.some((one) => /json/i.test(textOf(one)))) return;
  const message =
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
  throw badField('messages', message);
}

function oneTokenLimit({ body, model }: ChatRequest): void {
  if (!given(body.max_tokens)) return;
  if (model.efforts.length > 0) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    throw badField('max_tokens', message, 'unsupported_parameter');
  }
  if (!given(body.max_completion_tokens)) return;
  throw badField(
    'max_tokens',
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    'invalid_parameter_combination',
  );
}

function reasoningLimits({ body, model }: ChatRequest): void {
  if (model.efforts.length === 0) return;
  const samples = model.efforts.includes('none') && body.reasoning_effort === 'none';
  for (const field of ['temperature', 'top_p']) {
    if (samples || !given(body[field]) || body[field] === 1) continue;
    const message = `Unsupported value: '${field}' does not support ${String(body[field])} with this model. Only the default (1) value is supported.`;
    throw badField(field, message, 'unsupported_value');
  }
  for (const field of ['frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'stop']) {
    if (!given(body[field]) || body[field] === 0 || body[field] === false) continue;
    if (samples && field.includes('logprobs')) continue;
    const message = `Unsupported parameter: '${field}' is not supported with this model.`;
    throw badField(field, message, 'unsupported_parameter');
  }
}

function effortIsKnown({ body, model }: ChatRequest): void {
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string' || model.efforts.includes(effort)) return;
  if (model.efforts.length === 0) {
    const message = 'Unrecognized request argument supplied: reasoning_effort';
    throw badField('reasoning_effort', message, 'unsupported_parameter');
  }
  const known = model.efforts.map((name) => `'${name}'`).join(', ');
  const message = `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${known}.`;
  throw badField('reasoning_effort', message, 'unsupported_value');
}

function toolsWithoutEffort({ body, model }: ChatRequest): void {
  if (!model.toolsWithoutEffort || !Array.isArray(body.tools) || body.reasoning_effort === 'none') return;
  if (!body.tools.some((tool: Json) => tool.type === 'function')) return;
  const message = `Function tools with reasoning_effort are not supported for ${model.name} in /v1/chat/completions. Please use /v1/responses or set reasoning_effort to 'none'.`;
  throw badField('reasoning_effort', message);
}

function modelAbilities({ body, model }: ChatRequest): void {
  const wantsAudio = Array.isArray(body.modalities) && body.modalities.includes('audio');
  if ((wantsAudio || given(body.audio)) && !model.audio) {
    throw badField('modalities', `The model '${model.name}' does not support audio output.`, 'unsupported_value');
  }
  if (given(body.web_search_options) && !model.webSearch) {
    throw badField('web_search_options', 'Web search options not supported with this model.');
  }
  if (given(body.verbosity) && body.verbosity !== 'medium' && !model.verbosity) {
    const message = `Unsupported value: 'verbosity' does not support '${String(body.verbosity)}' with this model. Supported values are: 'medium'.`;
    throw badField('verbosity', message, 'unsupported_value');
  }
}

function outputFits({ body, model }: ChatRequest): void {
  for (const field of ['max_tokens', 'max_completion_tokens']) {
    const wanted = body[field];
    if (typeof wanted !== 'number' || wanted <= model.outputTokensMax) continue;
    const message = `${field} is too large: ${wanted}. This model supports at most ${model.outputTokensMax} completion tokens, whereas you provided ${wanted}.`;
    throw badField(field, message, 'invalid_value');
  }
}

function contextFits({ model, promptTokens: tokens }: ChatRequest): void {
  if (tokens <= model.contextTokens) return;
  const message = `This model's maximum context length is ${model.contextTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  throw badField('messages', message, 'context_length_exceeded');
}
