// Rules among the fields of a request, and of the model. The first violated rule is reported. Where the vendor's order
// is unknown, rules of the conversation come first and rules about the model's size last.
import { isObject, type Json } from '../checks.ts';
import { checkConversation } from './conversation.ts';
import type { MessageRequest } from './message-request.ts';
import { turnsOf } from './messages.ts';
import { breakpointsOf } from './prompt.ts';
import { badRequest } from './refusal.ts';
import { checkOutputSchemas } from './schema.ts';
import { checkThinking } from './thinking.ts';
import { nameOf } from './tools.ts';

/** @throws Refusal */
export function checkRules(request: MessageRequest): void {
  for (const rule of rules) rule(request);
}

const rules: readonly ((request: MessageRequest) => void)[] = [
  conversation,
  containerNeedsTool,
  choiceNeedsTools,
  callsNeedTools,
  ({ body, model, betas }) => checkThinking(body, model, betas),
  sampling,
  effort,
  outputFormat,
  speed,
  breakpoints,
  outputFits,
  mediaFit,
  contextFits,
];

function conversation({ messages, model, version, thinking }: MessageRequest): void {
  checkConversation({ turns: turnsOf(messages), model, version, thinking });
}

function toolsOf(body: Json): readonly Json[] {
  return (body.tools ?? []) as readonly Json[];
}

function containerNeedsTool({ body }: MessageRequest): void {
  if (typeof body.container !== 'string') return;
  if (toolsOf(body).some((tool) => String(tool.type).startsWith('code_execution'))) return;
  throw badRequest('container: Container identifier can only be provided when using the code execution tool');
}

function choiceNeedsTools({ body, model }: MessageRequest): void {
  const choice = body.tool_choice;
  if (!isObject(choice)) return;
  const forced = choice.type === 'any' || choice.type === 'tool';
  if (forced && !model.forcedTools) {
    throw badRequest('tool_choice: type "tool" and "any" are not supported for this model.');
  }
  if (choice.type === 'tool') {
    if (toolsOf(body).some((tool) => nameOf(tool) === choice.name)) return;
    throw badRequest(`Tool '${String(choice.name)}' not found in provided tools`);
  }
  // Measured for `any` and assumed for the other types: the vendor's older text named no type.
  if (toolsOf(body).length > 0) return;
  throw badRequest(`tool_choice.${String(choice.type)} may only be specified while providing tools`);
}

function callsNeedTools({ body, messages }: MessageRequest): void {
  if (toolsOf(body).length > 0) return;
  const calls = messages.some(({ blocks }) => blocks.some(({ type }) => type === 'tool_use' || type === 'tool_result'));
  if (!calls) return;
  throw badRequest('Requests which include `tool_use` or `tool_result` blocks must define tools.');
}

/** Some models accept only the default sampling parameters, as the vendor documents and users measured. */
function sampling({ body, model }: MessageRequest): void {
  const { temperature, top_p, top_k } = body;
  if (model.sampling === 'default') {
    const own = [
      temperature !== undefined && temperature !== 1 && 'temperature',
      typeof top_p === 'number' && top_p < 0.99 && 'top_p',
      top_k !== undefined && 'top_k',
    ].find((name) => name !== false);
    if (own !== undefined) throw badRequest(`\`${own}\` is deprecated for this model.`);
  }
  if (model.sampling !== 'one' || temperature === undefined || top_p === undefined) return;
  throw badRequest('`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
}

function effort({ body, model }: MessageRequest): void {
  const request = isObject(body.output_config) ? body.output_config.effort : undefined;
  if (typeof request !== 'string' || model.efforts.includes(request)) return;
  if (model.efforts.length === 0) throw badRequest('This model does not support the effort parameter.');
  const levels = [...model.efforts].sort().join(', ');
  throw badRequest(`This model does not support effort level '${request}'. Supported levels: ${levels}.`);
}

const strictToolsMax = 20;

function outputFormat({ body, model, messages }: MessageRequest): void {
  const format = isObject(body.output_config) ? body.output_config.format : undefined;
  const strict = toolsOf(body).map((tool, index) => ({ tool, at: `tools.${index}.custom` }));
  const schemas = strict
    .filter(({ tool }) => tool.strict === true && isObject(tool.input_schema))
    .map(({ tool, at }) => ({ schema: tool.input_schema as Json, at }));
  if (schemas.length > strictToolsMax) {
    throw badRequest(`Too many strict tools (${schemas.length}). The limit is ${strictToolsMax}.`);
  }
  if ((isObject(format) || schemas.length > 0) && !model.structuredOutput) {
    throw badRequest(`'${model.id}' does not support output format.`);
  }
  if (!isObject(format)) {
    checkOutputSchemas(schemas);
    return;
  }
  checkOutputSchemas([...schemas, { schema: format.schema as Json, at: 'output_config.format.schema' }]);
  if (messages.at(-1)?.role === 'assistant') {
    throw badRequest('Prefilling assistant messages is not supported with output_config.format.');
  }
  if (messages.some(({ blocks }) => blocks.some(({ citations }) => isObject(citations) && citations.enabled))) {
    throw badRequest('Citations cannot be enabled when output_config.format is used.');
  }
}

function speed({ body, model }: MessageRequest): void {
  if (body.speed !== 'fast' || model.fastMode) return;
  throw badRequest(`'${model.id}' does not support the \`speed\` parameter.`);
}

const breakpointsMax = 4;

function breakpoints({ body, messages }: MessageRequest): void {
  const marks = breakpointsOf(body, messages);
  if (marks.length > breakpointsMax) {
    throw badRequest(
      `A maximum of ${breakpointsMax} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  }
  const short = marks.findIndex(({ ttl }) => ttl === '5m');
  const late = short < 0 ? undefined : marks.slice(short).find(({ ttl }) => ttl === '1h');
  if (late === undefined) return;
  throw badRequest(
    `${late.at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  );
}

function outputFits({ body, model }: MessageRequest): void {
  const { max_tokens } = body;
  if (typeof max_tokens !== 'number' || max_tokens <= model.outputTokensMax) return;
  throw badRequest(
    `max_tokens: ${max_tokens} > ${model.outputTokensMax}, which is the maximum allowed number of output tokens for ${model.id}`,
  );
}

function mediaFit({ messages, model }: MessageRequest): void {
  const blocks = messages.flatMap((one) => one.blocks).flatMap((block) => [block, partsOf(block)].flat());
  const images = blocks.filter(({ type }) => type === 'image').length;
  const max = model.contextTokens > 200_000 ? 600 : 100;
  if (images > max) throw badRequest(`Too much media: 0 document pages + ${images} images > ${max}`);
}

function partsOf({ content }: Json): readonly Json[] {
  return Array.isArray(content) ? content : [];
}

function contextFits({ body, prompt, model }: MessageRequest): void {
  const max = model.contextTokens;
  if (prompt.total > max) throw badRequest(`prompt is too long: ${prompt.total} tokens > ${max} maximum`);
  const wanted = Number(body.max_tokens ?? 0);
  if (model.overflows || prompt.total + wanted <= max) return;
  throw badRequest(
    `input length and \`max_tokens\` exceed context limit: ${prompt.total} + ${wanted} > ${max}, decrease input length or \`max_tokens\` and try again`,
  );
}
