// What the vendors' SDKs make of a stream, without a network: its reasoning, its text and its calls. Their functions fold
// it where they have one.
import { Readable } from 'node:stream';
import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, type ContentBlockDelta, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import OpenAI from 'openai';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { eventsIn } from './client-streams.ts';
import { linesOf } from './cloud-frames.ts';

export interface Folded {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly (readonly [name: string, args: unknown])[];
}

const fetchOf = (stream: Buffer) => () =>
  Promise.resolve(new Response(new Uint8Array(stream), { headers: { 'content-type': 'text/event-stream' } }));

/** Each rejects with the SDK's error for a stream that fails. */
export const folds = {
  chat_completions: foldChat,
  messages: foldMessages,
  responses: foldResponses,
  generate_content: async (stream: Buffer) => readable({ parts: generatedParts(stream) }),
  converse: foldConverse,
  invoke: foldInvoke,
} as const satisfies Record<string, (stream: Buffer) => Promise<Folded>>;

async function foldMessages(stream: Buffer): Promise<Folded> {
  return readable(await finalMessage(stream));
}

/** The SDK's own fold, as plain JSON. */
export async function finalMessage(stream: Buffer): Promise<JsonObject> {
  const client = new Anthropic({ apiKey: 'sk-ant-sim', fetch: fetchOf(stream), maxRetries: 0 });
  const params = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hello' }] };
  return JSON.parse(JSON.stringify(await client.messages.stream(params).finalMessage())) as JsonObject;
}

async function foldResponses(stream: Buffer): Promise<Folded> {
  const client = new OpenAI({ apiKey: 'sk-sim', fetch: fetchOf(stream), maxRetries: 0 });
  return readable(await client.responses.stream({ model: 'm', input: 'Hello' }).finalResponse());
}

/** The SDK's own function keeps only the last piece of the reasoning. */
async function foldChat(stream: Buffer): Promise<Folded> {
  const client = new OpenAI({ apiKey: 'sk-sim', fetch: fetchOf(stream), maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const calls: { name: string; args: string }[] = [];
  let [reasoning, content] = ['', ''];
  for await (const { choices } of await client.chat.completions.create({ model: 'm', messages, stream: true })) {
    const { delta } = choices[0] ?? {};
    content += (delta?.content ?? '') + (delta?.refusal ?? '');
    const { reasoning_content: thought } = (delta ?? {}) as { readonly reasoning_content?: string };
    reasoning += thought ?? '';
    for (const { index, function: called } of delta?.tool_calls ?? []) {
      calls[index] ??= { name: called?.name ?? '', args: '' };
      calls[index].args += called?.arguments ?? '';
    }
  }
  return { reasoning, content, calls: calls.map(({ name, args }) => [name, JSON.parse(args === '' ? '{}' : args)]) };
}

/** The SDK has no function for it. */
async function foldConverse(stream: Buffer): Promise<Folded> {
  const handle = () =>
    Promise.resolve({
      response: {
        statusCode: 200,
        headers: { 'content-type': 'application/vnd.amazon.eventstream' },
        body: Readable.from([stream]),
      },
    });
  const requestHandler = { handle, updateHttpClientConfig: () => undefined, httpHandlerConfigs: () => ({}) };
  const client = new BedrockRuntimeClient({
    ...{ region: 'eu-west-1', token: { token: 'sk-sim' }, authSchemePreference: ['httpBearerAuth'] },
    ...{ requestHandler, maxAttempts: 1 },
  });
  const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];
  const { stream: events = [] } = await client.send(new ConverseStreamCommand({ modelId: 'm', messages }));
  const calls = new Map<number, { readonly name: string; args: string }>();
  let [reasoning, content] = ['', ''];
  for await (const { contentBlockStart: start, contentBlockDelta: piece } of events) {
    const { toolUse } = start?.start ?? {};
    if (toolUse !== undefined) calls.set(start?.contentBlockIndex ?? -1, { name: toolUse.name ?? '', args: '' });
    const { text, reasoningContent, toolUse: called }: Partial<ContentBlockDelta> = piece?.delta ?? {};
    content += text ?? '';
    reasoning += reasoningContent?.text ?? '';
    const open = calls.get(piece?.contentBlockIndex ?? -1);
    if (open !== undefined) open.args += called?.input ?? '';
  }
  const all = [...calls.values()];
  return { reasoning, content, calls: all.map(({ name, args }) => [name, JSON.parse(args === '' ? '{}' : args)]) };
}

/** The SDK hands the bytes of each frame on; they are the events of the Messages API. */
async function foldInvoke(stream: Buffer): Promise<Folded> {
  const events = eventsIn(linesOf(stream)).map(({ chunk, exception }) => {
    if (!isObject(chunk)) throw new Error(JSON.stringify(exception));
    return `event: ${String(chunk.type)}\ndata: ${JSON.stringify(chunk)}\n\n`;
  });
  return await foldMessages(Buffer.from(events.join('')));
}

/** The SDK has no function for it: its users join the parts of each piece. @throws Error if the stream has an error */
function generatedParts(stream: Buffer): readonly JsonObject[] {
  return eventsIn(stream.toString()).flatMap(({ candidates, error }) => {
    if (isObject(error)) throw new Error(String(error.message));
    const [candidate] = objectsOf(candidates);
    return isObject(candidate?.content) ? objectsOf(candidate.content.parts) : [];
  });
}

/** What a client reads, whichever format it has: numbers of arguments are those that JavaScript reads. */
export function readable(response: unknown): Folded {
  const { content, output, candidates, parts, choices } = isObject(response) ? response : {};
  const [candidate] = objectsOf(candidates);
  const [choice] = objectsOf(choices);
  if (isObject(choice?.message)) return chatMessage(choice.message);
  const made = isObject(candidate) && isObject(candidate.content) ? candidate.content.parts : [];
  const blocks = isObject(output) && isObject(output.message) ? output.message.content : undefined;
  const all = objectsOf(blocks ?? content ?? output ?? parts ?? made);
  const items = all.flatMap((one) => (one.type === 'message' ? objectsOf(one.content) : [one]));
  return {
    reasoning: items.filter(isThought).map(thoughtOf).join(''),
    content: items
      .filter((one) => !isThought(one))
      .map(textOf)
      .join(''),
    calls: items.flatMap(callsOf),
  };
}

function chatMessage({ content, refusal, reasoning_content: reasoning, tool_calls: calls }: JsonObject): Folded {
  return {
    reasoning: String(reasoning ?? ''),
    content: String(content ?? '') + String(refusal ?? ''),
    calls: objectsOf(calls).map(({ function: called }) => {
      const { name, arguments: args } = isObject(called) ? called : {};
      return [String(name), JSON.parse(String(args === '' ? '{}' : args))];
    }),
  };
}

function isThought({ thought, type, reasoningContent }: JsonObject): boolean {
  return thought === true || type === 'thinking' || type === 'reasoning' || isObject(reasoningContent);
}

function textOf({ text, refusal }: JsonObject): string {
  return String(text ?? refusal ?? '');
}

function thoughtOf({ thinking, text, summary, reasoningContent }: JsonObject): string {
  const [first] = objectsOf(summary);
  const inner = isObject(reasoningContent) ? reasoningContent.reasoningText : undefined;
  return String(thinking ?? text ?? first?.text ?? (isObject(inner) ? inner.text : undefined) ?? '');
}

function callsOf(item: JsonObject): Folded['calls'] {
  const { type, name, input, arguments: args, functionCall, toolUse } = item;
  if (isObject(functionCall)) return [[String(functionCall.name), functionCall.args]];
  if (isObject(toolUse)) return [[String(toolUse.name), toolUse.input]];
  if (type === 'tool_use') return [[String(name), input]];
  if (type === 'custom_tool_call') return [[String(name), { input }]];
  return type === 'function_call' ? [[String(name), JSON.parse(String(args))]] : [];
}

/** Why the model stopped, in the words of the client's format: once for a whole response or a stream that has ended. */
export function finishesIn(events: readonly JsonObject[]): readonly string[] {
  return events.flatMap((event) => {
    const { delta, response, messageStop, ...inner } = isObject(event.chunk) ? event.chunk : event;
    return [inner, delta, response, messageStop].filter(isObject).flatMap(finishOf);
  });
}

function finishOf(fields: JsonObject): readonly string[] {
  const { stop_reason: messages, stopReason: converse, candidates, status, incomplete_details: details } = fields;
  const [candidate] = objectsOf(candidates);
  const ended = status === 'completed' || status === 'incomplete';
  const responses = ended && 'output' in fields ? `${status} ${JSON.stringify(details)}` : undefined;
  return [messages, converse, candidate?.finishReason, responses].filter((one) => typeof one === 'string');
}
