// A request of the Responses API that passed every check, and how it is parsed: parameters, the model, the
// conversation, then the rules.
import { FieldFault, isObject, type Json } from '../../checks.ts';
import { findModel, type SimulatedModel } from '../models.ts';
import { unknownModel } from '../parse.ts';
import { badField, Refusal } from '../refusal.ts';
import { type ChatRequest, chatRequest } from '../request.ts';
import { type Account, chatMessages, checkItems, resolved } from './conversation.ts';
import { itemsOf, typeOf } from './items.ts';
import { createBody } from './parameters.ts';
import { checkRules } from './rules.ts';
import { outputOf } from './store.ts';
import { type CallableTool, callableTools, chatToolChoice, chatTools } from './tools.ts';

/** `body` contains the fields as sent. */
export interface ResponsesRequest {
  readonly body: Json;
  readonly account: string;
  readonly model: SimulatedModel;
  /** The items of previous responses, then the input. */
  readonly items: readonly Json[];
  /** The tools of the request and of its items. */
  readonly offered: readonly Json[];
  readonly callable: readonly CallableTool[];
  /** The form of the text (`text.format`). */
  readonly format: Json;
  readonly effort: string | undefined;
  /** The same request to chat completions: its tokens are counted and its completion is made there. */
  readonly chat: ChatRequest;
}

/** @throws Refusal, FieldFault */
export function parseCreate(body: unknown, account: Account): ResponsesRequest {
  const request = parseRequest(body, account, createBody);
  checkRules(request);
  return request;
}

/** @param check of the body of the endpoint. @throws Refusal, FieldFault */
export function parseRequest(
  body: unknown,
  account: Account,
  check: (value: unknown, path: string) => void,
): ResponsesRequest {
  if (!isObject(body)) throw new FieldFault('model', { kind: 'missing' }, undefined);
  // The vendor has the model of a prompt; this one stores no prompts.
  if (isObject(body.prompt)) throw notFound('Prompt', body.prompt.id);
  check(body, '');
  const model = findModel(String(body.model));
  if (model === undefined) throw unknownModel(String(body.model));
  if (!model.chat) {
    const message = `The requested model '${model.name}' cannot be used with the Responses API.`;
    throw badField('model', message, 'unsupported_model');
  }
  const items = conversationOf(body, account);
  checkItems(items, account);
  return { body, account: account.account, model, items, ...configured(body, items), ...chatForm(body, model, items) };
}

function notFound(what: string, id: unknown): Refusal {
  return new Refusal(404, { message: `${what} with id '${String(id)}' not found.` });
}

/** @throws Refusal */
function conversationOf(body: Json, account: Account): readonly Json[] {
  const { conversation, input, previous_response_id: previous } = body;
  if (conversation != null && previous != null) {
    const message =
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of these parameters.";
    throw badField('previous_response_id', message, 'mutually_exclusive_parameters');
  }
  // Conversations are made by another endpoint, which the simulator does not have.
  if (conversation != null) throw notFound('Conversation', isObject(conversation) ? conversation.id : conversation);
  const own = itemsOf(input);
  if (previous == null && own.length === 0) {
    const message = `One of "input" or "previous_response_id" or 'prompt' or 'conversation_id' must be provided.`;
    throw badField('input', message, 'missing_required_parameter');
  }
  return [...previousItems(previous, account), ...resolved(own, account)];
}

function previousItems(id: unknown, { account, store }: Account): readonly Json[] {
  if (id == null) return [];
  if (!String(id).startsWith('resp')) {
    const message = `Invalid 'previous_response_id': '${String(id)}'. Expected an ID that begins with 'resp'.`;
    throw badField('previous_response_id', message, 'invalid_value');
  }
  const stored = store.find(account, String(id));
  if (stored !== undefined) return [...stored.input, ...outputOf(stored)];
  const message = `Previous response with id '${String(id)}' not found.`;
  throw badField('previous_response_id', message, 'previous_response_not_found');
}

function configured(body: Json, items: readonly Json[]) {
  const updates = items.filter((item) => typeOf(item) === 'configuration_update');
  const last = (field: 'reasoning' | 'text'): Json =>
    [body, ...updates].map((one) => one[field]).findLast(isObject) ?? {};
  const { effort } = last('reasoning');
  const { format } = last('text');
  return {
    effort: typeof effort === 'string' ? effort : undefined,
    format: isObject(format) ? format : { type: 'text' },
  };
}

function chatForm(body: Json, model: SimulatedModel, items: readonly Json[]) {
  const added = items.filter((item) => typeOf(item) === 'additional_tools');
  const lists = [body, ...added].map(({ tools }) => (Array.isArray(tools) ? (tools as readonly Json[]) : []));
  const offered = lists.flat();
  const callable = callableTools(offered);
  const { effort, format } = configured(body, items);
  const choice = chatToolChoice(body.tool_choice, callable);
  const chatBody = {
    messages: chatMessages(body.instructions, items),
    ...(callable.length > 0 && { tools: chatTools(callable) }),
    ...(choice != null && callable.length > 0 && { tool_choice: choice }),
    ...(body.parallel_tool_calls != null && { parallel_tool_calls: body.parallel_tool_calls }),
    ...(body.max_output_tokens != null && { max_completion_tokens: body.max_output_tokens }),
    ...(effort !== undefined && { reasoning_effort: effort }),
    response_format: format.type === 'json_schema' ? { type: format.type, json_schema: format } : format,
  };
  return { offered, callable, chat: { ...chatRequest(chatBody, model), stream: body.stream === true } };
}
