// Rules among the parameters of a request, and of the model. The vendor reports one error at a time; the order of the
// rules is the simulator's own.
import { FieldFault, isObject, type Json, listed } from '../../checks.ts';
import { textOf } from '../messages.ts';
import { badField, type Refusal } from '../refusal.ts';
import type { ResponsesRequest } from './request.ts';
import { checkStrictSchema } from './strict-schema.ts';

/** @throws Refusal, FieldFault */
export function checkRules(request: ResponsesRequest): void {
  for (const rule of rules) rule(request);
}

type Rule = (request: ResponsesRequest) => void;

const rules: readonly Rule[] = [
  streamOptions,
  backgroundIsStored,
  reasoningAbility,
  reasoningEffort,
  sampling,
  included,
  verbosity,
  choiceHasTools,
  strictSchemas,
  jsonIsMentioned,
  outputFits,
  contextFits,
];

/** Rules that count tokens only. @throws Refusal */
export function checkContext(request: ResponsesRequest): void {
  contextFits(request);
}

function streamOptions({ body }: ResponsesRequest): void {
  if (body.stream_options == null || body.stream === true) return;
  throw badField('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
}

function backgroundIsStored({ body }: ResponsesRequest): void {
  if (body.background !== true || body.store !== false) return;
  throw badField('background', "Background mode requires the 'store' parameter to be true.");
}

function reasoningAbility({ body, model }: ResponsesRequest): void {
  if (model.efforts.length > 0 || !isObject(body.reasoning)) return;
  const given = Object.keys(body.reasoning).find((key) => (body.reasoning as Json)[key] != null);
  if (given === undefined) return;
  const param = `reasoning.${given}`;
  const message = `Unsupported parameter: '${param}' is not supported with this model.`;
  throw badField(param, message, 'unsupported_parameter');
}

function reasoningEffort({ effort, model }: ResponsesRequest): void {
  if (effort === undefined || model.efforts.includes(effort)) return;
  throw unsupportedValue('reasoning.effort', effort, { name: model.name, values: model.efforts });
}

/** Sampling parameters are refused while a model reasons. */
function sampling({ body, effort, model }: ResponsesRequest): void {
  if (model.efforts.length === 0 || (effort === 'none' && model.efforts.includes('none'))) return;
  for (const [field, usual] of [
    ['temperature', 1],
    ['top_p', 1],
    ['top_logprobs', 0],
  ] as const) {
    if (body[field] == null || body[field] === usual) continue;
    throw badField(field, `Unsupported parameter: '${field}' is not supported with this model.`);
  }
}

function included(request: ResponsesRequest): void {
  const { model } = request;
  const reasons = model.efforts.length > 0;
  if (!reasons && includes(request, 'reasoning.encrypted_content')) {
    throw badField('include', 'Encrypted content is not supported with this model.');
  }
  if (reasons && includes(request, 'message.output_text.logprobs') && request.effort !== 'none') {
    throw badField('include', 'logprobs are not supported with reasoning models.');
  }
}

export function includes({ body }: ResponsesRequest, value: string): boolean {
  return Array.isArray(body.include) && body.include.includes(value);
}

function verbosity({ body, model }: ResponsesRequest): void {
  const wanted = isObject(body.text) ? body.text.verbosity : undefined;
  if (wanted == null || wanted === 'medium' || model.verbosity) return;
  throw unsupportedValue('text.verbosity', String(wanted), { name: model.name, values: ['medium'] });
}

function unsupportedValue(
  param: string,
  value: string,
  { name, values }: { readonly name: string; readonly values: readonly string[] },
): Refusal {
  const message = `Unsupported value: '${value}' is not supported with the '${name}' model. Supported values are: ${listed(values, 'and')}.`;
  return badField(param, message, 'unsupported_value');
}

function choiceHasTools({ body, callable, offered }: ResponsesRequest): void {
  const choice = body.tool_choice;
  if (choice === 'required' && offered.length === 0) {
    throw badField('tool_choice', "Tool choice 'required' must be specified with 'tools' parameter.");
  }
  if (!isObject(choice)) return;
  const chosen = choice.type === 'allowed_tools' ? (choice.tools as readonly Json[]) : [choice];
  for (const one of chosen) {
    const named = one.type === 'function' || one.type === 'custom';
    const found = named
      ? callable.some(({ name, tool }) => name === one.name && tool.type === one.type)
      : offered.some(
          (tool) => tool.type === one.type && (one.name == null || one.type === 'mcp' || tool.name === one.name),
        );
    if (found) continue;
    const name = named ? one.name : one.type;
    throw badField('tool_choice', `Tool choice '${String(name)}' not found in 'tools' parameter.`);
  }
}

/** A function is checked only if it says that it is strict: otherwise the vendor makes its schema strict, or does not. */
function strictSchemas({ body, format }: ResponsesRequest): void {
  if (format.type === 'json_schema' && format.strict === true) {
    const of = { name: `response_format '${String(format.name)}'`, path: 'text.format.schema' };
    checkStrictSchema(format.schema, { ...of, code: 'invalid_json_schema' });
  }
  for (const [index, tool] of ((body.tools ?? []) as readonly Json[]).entries()) {
    if (tool.type !== 'function' || tool.strict !== true) continue;
    const of = { name: `function '${String(tool.name)}'`, path: `tools[${index}].parameters` };
    checkStrictSchema(tool.parameters, { ...of, code: 'invalid_function_parameters' });
  }
}

function jsonIsMentioned({ chat, format }: ResponsesRequest): void {
  if (format.type !== 'json_object' || chat.messages.some((one) => /json/i.test(textOf(one)))) return;
  const message =
    "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
  throw badField('input', message);
}

function outputFits({ body, model }: ResponsesRequest): void {
  const wanted = body.max_output_tokens;
  if (typeof wanted !== 'number' || wanted <= model.outputTokensMax) return;
  const fault = { kind: 'above', number: 'integer', bound: model.outputTokensMax } as const;
  throw new FieldFault('max_output_tokens', fault, wanted);
}

function contextFits({ body, chat, model }: ResponsesRequest): void {
  if (chat.promptTokens <= model.contextTokens || body.truncation === 'auto') return;
  const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  throw badField('input', message, 'context_length_exceeded');
}
