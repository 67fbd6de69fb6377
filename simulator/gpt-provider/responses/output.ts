// The items of a response (ResponseOutputItem of the vendor's SDK), made of the same completion that chat completions
// returns for the same request.
import type { Behaviour, Citation } from '../../behaviour.ts';
import { isObject, type Json } from '../../checks.ts';
import { type Completion, complete, reasoningTokens, type ToolCall } from '../completion.ts';
import { halves, logprobEntries } from '../response.ts';
import { encryptedFor } from './encrypted.ts';
import { idOf } from './ids.ts';
import type { ResponsesRequest } from './request.ts';
import { includes } from './rules.ts';
import { type CallableTool, isWebSearch, nameInChat } from './tools.ts';

/** An item, and its text as the events of a stream carry it. */
export interface OutputItem {
  readonly item: Json;
  readonly deltas: readonly string[];
}

export interface Output {
  readonly items: readonly OutputItem[];
  readonly completion: Completion;
  readonly searches: number;
}

export interface Making {
  readonly request: ResponsesRequest;
  readonly behaviour: Behaviour;
  readonly echo: () => string;
  /** Counts responses, for ids. */
  readonly sequence: number;
}

export function makeOutput(making: Making): Output {
  const { request, behaviour, echo, sequence } = making;
  const reasons = request.model.efforts.length > 0;
  const queries = searchQueries(request, behaviour);
  const calls = behaviour.toolCalls?.filter((call) => !isSearch(request, call.name));
  const { toolCalls: _scripted, ...others } = behaviour;
  const completion = complete(request.chat, {
    behaviour: { ...others, ...(calls && calls.length > 0 && { toolCalls: calls }) },
    echo,
    thought: reasons ? (behaviour.reasoning ?? '') : '',
  });
  const items = [
    ...reasoningItems(making, completion),
    ...queries.map((query, index) => searchItem(query, idOf('ws', sequence, index), behaviour.citations)),
    ...messageItems(making, completion),
    ...completion.toolCalls.map((call, index) => callItem(making, call, index)),
  ];
  return { items, completion, searches: queries.length };
}

function isSearch({ callable, offered }: ResponsesRequest, name: string): boolean {
  return name.startsWith('web_search') && offered.some(isWebSearch) && !callable.some((one) => one.name === name);
}

/** The model searches if the request forces it, or if the test scripts a search or sources. */
function searchQueries(request: ResponsesRequest, behaviour: Behaviour): readonly string[] {
  const { body, callable, offered } = request;
  if (!offered.some(isWebSearch)) return [];
  const scripted = behaviour.toolCalls?.filter((call) => isSearch(request, call.name)) ?? [];
  if (scripted.length > 0) return scripted.map((call) => queryOf(call.arguments));
  const choice = body.tool_choice;
  const forced = isObject(choice) ? isWebSearch(choice) : choice === 'required' && callable.length === 0;
  return forced || (behaviour.citations ?? []).length > 0 ? ['simulated'] : [];
}

function queryOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.query === 'string' ? value.query : text;
  } catch {
    return text;
  }
}

function searchItem(query: string, id: string, citations: readonly Citation[] = []): OutputItem {
  const sources = citations.map(({ uri }) => ({ type: 'url', url: uri }));
  const action = { type: 'search', query, queries: [query], ...(sources.length > 0 && { sources }) };
  return { item: { id, type: 'web_search_call', status: 'completed', action }, deltas: [] };
}

const usualSummary = 'This is a simulated summary of reasoning.';

function reasoningItems({ request, behaviour, sequence }: Making, { thought }: Completion): readonly OutputItem[] {
  if (thought === '' && reasoningTokens(request.chat) === 0) return [];
  const { reasoning } = request.body;
  const wanted = isObject(reasoning) ? (reasoning.summary ?? reasoning.generate_summary) : undefined;
  const shown = wanted == null || behaviour.reasoningRedacted ? '' : thought === '' ? usualSummary : thought;
  const summary = shown
    .split(/\n{2,}/)
    .filter((text) => text !== '')
    .map((text) => ({ type: 'summary_text', text }));
  const id = idOf('rs', sequence);
  const encrypted_content = encryptedFor(request.account, `${id} ${thought}`);
  return [{ item: { id, type: 'reasoning', encrypted_content, summary }, deltas: [] }];
}

function messageItems(making: Making, completion: Completion): readonly OutputItem[] {
  const { deltas, refused, finishReason } = completion;
  // The limit may end the response before its text begins.
  if (deltas === undefined || (deltas.length === 0 && finishReason !== 'stop')) return [];
  const text = deltas.join('');
  const part = refused ? { type: 'refusal', refusal: text } : textPart(making, text, deltas);
  const item = {
    id: idOf('msg', making.sequence),
    type: 'message',
    status: incompleteReason(finishReason) === undefined ? 'completed' : 'incomplete',
    content: [part],
    role: 'assistant',
  };
  return [{ item, deltas }];
}

function textPart({ request, behaviour }: Making, text: string, deltas: readonly string[]): Json {
  const logprobs = includes(request, 'message.output_text.logprobs')
    ? logprobEntries(deltas, Number(request.body.top_logprobs ?? 0))
    : [];
  const cited = request.offered.some(isWebSearch) ? (behaviour.citations ?? []) : [];
  return { type: 'output_text', annotations: cited.map((one) => annotation(one, text)), logprobs, text };
}

function annotation({ uri, title, text: passage }: Citation, text: string): Json {
  const at = passage === undefined ? 0 : text.indexOf(passage);
  const start = Math.max(at, 0);
  const end = at < 0 || passage === undefined ? text.length : at + passage.length;
  return { type: 'url_citation', start_index: start, end_index: end, title: title ?? uri, url: uri };
}

function callItem({ request, sequence }: Making, call: ToolCall, index: number): OutputItem {
  const tool = toolOf(request.callable, call.name);
  const head = {
    call_id: `call_simulated${sequence}_${index + 1}`,
    name: tool?.name ?? call.name,
    ...(tool?.namespace !== undefined && { namespace: tool.namespace }),
  };
  if (!tool?.custom) {
    const id = idOf('fc', sequence, index);
    const item = { id, type: 'function_call', status: 'completed', arguments: call.arguments, ...head };
    return { item, deltas: halves(call.arguments) };
  }
  const input = inputOf(call.arguments);
  const id = idOf('ctc', sequence, index);
  return { item: { id, type: 'custom_tool_call', status: 'completed', input, ...head }, deltas: halves(input) };
}

function toolOf(callable: readonly CallableTool[], name: string): CallableTool | undefined {
  return callable.find((one) => nameInChat(one) === name) ?? callable.find((one) => one.name === name);
}

/**
 * The text for a custom tool. A script for several vendors writes it as the arguments of a function with the one
 * parameter `input`.
 */
function inputOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && Object.keys(value).length === 1 && typeof value.input === 'string') return value.input;
  } catch {
    // Text that is not JSON is the input.
  }
  return text;
}

/** Why a response is incomplete, by a finish reason of chat completions or of this API; undefined if it is complete. */
export function incompleteReason(finishReason: string): string | undefined {
  if (finishReason === 'length') return 'max_output_tokens';
  const own = ['max_output_tokens', 'max_messages', 'content_filter', 'steered'];
  return own.includes(finishReason) ? finishReason : undefined;
}
