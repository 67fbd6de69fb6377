// Checks a response for what clients of the GPT vendor's SDK rely on (SDK types `ChatCompletion`,
// `ChatCompletionChunk`), and reads it into one form for whole and streamed responses. Faults are reported in words.
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';

/** The content of a response, whole or streamed. */
export interface ParsedCompletion {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly ParsedChoice[];
  readonly usage: JsonObject | undefined;
  /** Arrays that one vendor's responses have at the top; none of them is empty. */
  readonly sources: JsonObject;
}

export interface ParsedChoice {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly ParsedCall[];
  readonly functionCall: ParsedCall | undefined;
  /** Fields of the message that only some vendors have; the last value counts, as for the SDK. */
  readonly extras: JsonObject;
  readonly finish: string;
}

export interface ParsedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Thrown for an invalid response. */
export class BadResponse extends Error {}

/** @throws BadResponse with the fault */
export function readCompletion(value: unknown): ParsedCompletion {
  const body = object(value, 'completion');
  expectThat(body.object === 'chat.completion', 'object is not chat.completion');
  const choices = list(body.choices, 'choices').map((one, index) => readChoice(one, index));
  expectThat(choices.length > 0, 'there is no choice');
  return { ...identity(body), choices, usage: readUsage(body.usage), sources: readSources(body) };
}

const sourceNames = ['cloud_ai_citation_metadata', 'cloud_ai_grounding_metadata', 'cloud_ai_safety_results'];

function readSources(body: JsonObject): JsonObject {
  const parsed = sourceNames.filter((name) => list(body[name] ?? [], name).length > 0);
  return Object.fromEntries(parsed.map((name) => [name, body[name]]));
}

function readExtras({ thinking_blocks, annotations }: JsonObject): JsonObject {
  const some = (value: unknown) => Array.isArray(value) && value.length > 0;
  return {
    ...(some(thinking_blocks) && { thinking_blocks }),
    ...(some(annotations) && { annotations }),
  };
}

function readChoice(value: unknown, index: number): ParsedChoice {
  const choice = object(value, `choices[${index}]`);
  expectThat(choice.index === index, `choices[${index}].index is ${JSON.stringify(choice.index)}`);
  const message = object(choice.message, 'message');
  expectThat(message.role === 'assistant', 'the role is not assistant');
  const parsed = {
    content: text(message.content ?? '', 'content'),
    reasoning: text(message.reasoning_content ?? '', 'reasoning_content'),
    calls: message.tool_calls === null ? [] : list(message.tool_calls ?? [], 'tool_calls').map(readCall),
    functionCall: isObject(message.function_call) ? readFunction('', message.function_call) : undefined,
    extras: readExtras(message),
    finish: readFinish(choice.finish_reason),
  };
  const called = parsed.calls.length > 0 || parsed.functionCall !== undefined;
  expectThat(message.content !== null || called, 'content is null without a call beside it');
  return parsed;
}

function readCall(value: unknown): ParsedCall {
  const call = object(value, 'call');
  expectThat(call.type === 'function', 'a call is not of type function');
  return readFunction(id(call.id, 'call'), object(call.function, 'function'));
}

function readFunction(callId: string, value: JsonObject): ParsedCall {
  return { id: callId, name: id(value.name, 'function'), arguments: text(value.arguments, 'arguments') };
}

const finishReasons = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call', 'error']);

function readFinish(value: unknown): string {
  expectThat(typeof value === 'string' && finishReasons.has(value), `finish_reason is ${JSON.stringify(value)}`);
  return String(value);
}

/** @param value undefined or null is none */
function readUsage(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const usage = object(value, 'usage');
  for (const name of ['prompt_tokens', 'completion_tokens', 'total_tokens']) tokens(usage[name]);
  return usage;
}

function tokens(value: unknown): number {
  expectThat(Number.isSafeInteger(value) && Number(value) >= 0, `${JSON.stringify(value)} is no number of tokens`);
  return Number(value);
}

/**
 * Checks that the fields of a response agree with each other.
 * @throws BadResponse with the fault
 */
export function checkSense({ id: ownId, model, choices, usage }: ParsedCompletion): void {
  expectThat(ownId !== '' && model !== '', 'a response without id or model');
  for (const choice of choices) checkCalls(choice);
  if (usage === undefined) return;
  const details = (name: string) => (isObject(usage[name]) ? usage[name] : {});
  const prompt = tokens(usage.prompt_tokens);
  const completion = tokens(usage.completion_tokens);
  expectThat(tokens(usage.total_tokens) === prompt + completion, 'usage does not add up');
  const cached = tokens(details('prompt_tokens_details').cached_tokens ?? 0);
  const written = tokens(usage.cache_creation_input_tokens ?? 0);
  expectThat(cached + written <= prompt, 'the prompt does not include the cached tokens');
  const reasoning = tokens(details('completion_tokens_details').reasoning_tokens ?? 0);
  expectThat(reasoning <= completion, 'the completion does not include the reasoning');
}

function checkCalls({ calls, functionCall, finish }: ParsedChoice): void {
  expectThat(finish !== 'tool_calls' || calls.length > 0, 'tool_calls without a call');
  expectThat(finish !== 'function_call' || functionCall !== undefined, 'function_call without a call');
  expectThat(new Set(calls.map((call) => call.id)).size === calls.length, 'two calls have one id');
  // A call that was cut short may end anywhere.
  if (finish === 'length' || finish === 'content_filter' || finish === 'error') return;
  for (const call of functionCall === undefined ? calls : [functionCall]) {
    expectThat(isObject(parseJson(call.arguments)), `arguments are no JSON object: ${call.arguments}`);
  }
}

/** @param stream all bytes of it, as the caller receives them @throws BadResponse with the fault */
export function readStream(stream: string): ParsedCompletion {
  const frames = stream.replaceAll(/\r\n|\r/g, '\n').split('\n\n');
  const events = frames.flatMap((frame) => {
    const lines = [...frame.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line);
    return lines.length === 0 ? [] : [lines.join('\n')];
  });
  expectThat(events.pop() === '[DONE]', 'the last event is not [DONE]');
  const reader = new ChunkReader();
  for (const event of events) reader.read(object(parseJson(event), 'chunk'));
  return reader.parsed();
}

interface OpenChoice {
  content: string;
  reasoning: string;
  readonly calls: { id: string; name: string; arguments: string }[];
  functionCall: { id: string; name: string; arguments: string } | undefined;
  readonly extras: JsonObject;
  finish: string | undefined;
}

class ChunkReader {
  #identity: Pick<ParsedCompletion, 'id' | 'model'> & { readonly created: unknown };
  readonly #choices = new Map<number, OpenChoice>();
  readonly #sources: JsonObject = {};
  #usage: JsonObject | undefined;
  #begun = false;
  #ended = false;

  constructor() {
    this.#identity = { id: '', model: '', created: undefined };
  }

  read(chunk: JsonObject): void {
    expectThat(!('error' in chunk), `an error inside: ${JSON.stringify(chunk.error)}`);
    expectThat(chunk.object === 'chat.completion.chunk', 'object is not chat.completion.chunk');
    const own = { ...identity(chunk), created: chunk.created };
    if (this.#begun) {
      const { id: first, model, created } = this.#identity;
      const same = first === own.id && model === own.model && created === own.created;
      expectThat(same, 'chunks of several responses');
    }
    this.#begun = true;
    this.#identity = own;
    expectThat(!this.#ended, 'a chunk after the usage chunk');
    const choices = list(chunk.choices, 'choices');
    for (const choice of choices) this.#readChoice(object(choice, 'choice'));
    Object.assign(this.#sources, readSources(chunk));
    // Some vendors send it with the last choice.
    this.#usage = readUsage(chunk.usage) ?? this.#usage;
    this.#ended = choices.length === 0;
    expectThat(!this.#ended || this.#usage !== undefined, 'a chunk without choices and usage');
  }

  parsed(): ParsedCompletion {
    const { id: first, model } = this.#identity;
    const choices = [...this.#choices].sort(([a], [b]) => a - b).map(([, choice]) => closed(choice));
    expectThat(choices.length > 0, 'there is no choice');
    return { id: first, model, choices, usage: this.#usage, sources: this.#sources };
  }

  #readChoice({ index, delta: value, finish_reason: finish }: JsonObject): void {
    const delta = object(value, 'delta');
    expectThat(Number.isSafeInteger(index), 'a choice without an index');
    const known = this.#choices.get(Number(index));
    if (known === undefined) expectThat(delta.role === 'assistant', 'the first delta has no role');
    const choice = known ?? newChoice();
    this.#choices.set(Number(index), choice);
    expectThat(choice.finish === undefined, 'a delta after the finish reason');
    choice.content += text(delta.content ?? '', 'content');
    choice.reasoning += text(delta.reasoning_content ?? '', 'reasoning_content');
    for (const call of list(delta.tool_calls ?? [], 'tool_calls')) readCallDelta(choice, object(call, 'call'));
    if (isObject(delta.function_call)) readFunctionDelta(choice, delta.function_call);
    Object.assign(choice.extras, readExtras(delta));
    if (finish !== null && finish !== undefined) choice.finish = readFinish(finish);
  }
}

function newChoice(): OpenChoice {
  return { content: '', reasoning: '', calls: [], functionCall: undefined, extras: {}, finish: undefined };
}

function readCallDelta({ calls }: OpenChoice, delta: JsonObject): void {
  const called = object(delta.function, 'function');
  const args = text(called.arguments ?? '', 'arguments');
  expectThat(Number.isSafeInteger(delta.index), 'a call without an index');
  const known = calls[Number(delta.index)];
  if (known !== undefined) {
    expectThat(delta.id === undefined && called.name === undefined, 'a call begins twice');
    known.arguments += args;
    return;
  }
  expectThat(delta.index === calls.length, `call ${String(delta.index)} out of order`);
  expectThat(delta.type === 'function', 'a call begins without its type');
  calls.push({ id: id(delta.id, 'call'), name: id(called.name, 'function'), arguments: args });
}

function readFunctionDelta(choice: OpenChoice, delta: JsonObject): void {
  const args = text(delta.arguments ?? '', 'arguments');
  if (choice.functionCall !== undefined) choice.functionCall.arguments += args;
  else choice.functionCall = { id: '', name: id(delta.name, 'function'), arguments: args };
}

function closed({ finish, ...choice }: OpenChoice): ParsedChoice {
  return { ...choice, finish: readFinish(finish) };
}

function identity(body: JsonObject): Pick<ParsedCompletion, 'id' | 'model'> {
  expectThat(Number.isSafeInteger(body.created), 'created is no time');
  return { id: text(body.id, 'id'), model: text(body.model, 'model') };
}

function object(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value;
  throw new BadResponse(`${what} is no object`);
}

function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new BadResponse(`${what} is no array`);
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new BadResponse(`${what} is no string`);
}

function id(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new BadResponse(`${what} has no name`);
}

function expectThat(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new BadResponse(problem);
}
