// InvokeModel for Claude models (the vendor's page "Anthropic Claude Messages API"): a body of the maker's API without
// model and stream, with its version and betas as members; the response as there, or its events in frames (SDK types
// `InvokeModelResponse`, `ResponseStream`).
import { complete } from '../assistant-provider/completion.ts';
import { refusalOf as messagesRefusalOf } from '../assistant-provider/fields.ts';
import type { MessageRequest } from '../assistant-provider/message-request.ts';
import { textOf } from '../assistant-provider/messages.ts';
import { Refusal as MessagesRefusal } from '../assistant-provider/refusal.ts';
import { parseRequest as parseMessages } from '../assistant-provider/request.ts';
import { messageEvents, messageObject } from '../assistant-provider/response.ts';
import type { Behaviour } from '../behaviour.ts';
import { FieldFault, isObject, type Json } from '../checks.ts';
import { eventFrame } from './frames.ts';
import { resolveModel } from './model-id.ts';
import { invalid, malformedInput, unreadable } from './refusal.ts';
import { scriptedBy } from './scripted.ts';

export interface InvokeRequest {
  readonly message: MessageRequest;
  readonly stream: boolean;
}

const version = 'bedrock-2023-05-31';

/** @throws Refusal */
export function parseInvoke(value: unknown, target: { readonly modelId: string; readonly stream: boolean }) {
  const model = resolveModel(target.modelId);
  if (model.family !== 'claude') throw invalid('The simulator invokes models of the family claude only.');
  if (!isObject(value)) throw unreadable('Start of structure or map expected');
  const { anthropic_version: stated, anthropic_beta: betas = [], ...body } = value;
  const extraneous = ['model', 'stream'].find((name) => Object.hasOwn(body, name));
  if (extraneous !== undefined) throw malformedInput(`#: extraneous key [${extraneous}] is not permitted`);
  if (stated === undefined) throw invalid('anthropic_version: Field required');
  if (stated !== version) throw invalid(`anthropic_version: Input should be '${version}'`);
  if (!Array.isArray(betas)) throw invalid('anthropic_beta: Input should be a valid array');
  // `anthropic.claude-sonnet-4-5-20250929-v1:0` → `claude-sonnet-4-5-20250929`
  const name = model.name.replace(/^anthropic\./, '').replace(/-v\d+(?::\d+)?$/, '');
  return { message: messageOf({ ...body, model: name }, new Set(betas.map(String))), stream: target.stream };
}

/** The maker's refusals are the service's. */
function messageOf(body: Json, betas: ReadonlySet<string>): MessageRequest {
  try {
    return parseMessages(body, { endpoint: 'message', version: '2023-06-01', betas });
  } catch (error) {
    const refusal = error instanceof FieldFault ? messagesRefusalOf(error) : error;
    throw refusal instanceof MessagesRefusal ? invalid(refusal.message) : refusal;
  }
}

/** What the last message of the user scripts. @throws Refusal */
export function invokeDirective({ message: { messages } }: InvokeRequest): Behaviour | undefined {
  const last = messages.at(-1);
  return last?.role === 'user' ? scriptedBy(textOf(last)) : undefined;
}

export interface Invoked {
  readonly behaviour: Behaviour;
  readonly echo: () => string;
  readonly sequence: number;
}

export interface InvokeResult {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  frames(): Iterable<Buffer>;
}

export function invoke({ message }: InvokeRequest, invoked: Invoked): InvokeResult {
  const completion = complete(message, invoked);
  const identity = { id: `msg_bdrk_simulated${invoked.sequence}`, model: message.model.id };
  const { usage = {} } = completion;
  const counts = { inputTokenCount: usage.input_tokens, outputTokenCount: usage.output_tokens };
  return {
    headers: {
      'x-amzn-bedrock-input-token-count': String(counts.inputTokenCount),
      'x-amzn-bedrock-output-token-count': String(counts.outputTokenCount),
      'x-amzn-bedrock-invocation-latency': '1',
    },
    body: messageObject(completion, identity),
    frames: () => framesOf(messageEvents(completion, identity), counts),
  };
}

/** The last event has the service's own counts. */
function* framesOf(events: Iterable<string>, counts: Json): Generator<Buffer> {
  for (const event of events) {
    const data: Json = JSON.parse(event.replace(/^.*\ndata: /, ''));
    const metrics = { ...counts, invocationLatency: 1, firstByteLatency: 1 };
    const sent = data.type === 'message_stop' ? { ...data, 'amazon-bedrock-invocationMetrics': metrics } : data;
    const bytes = Buffer.from(JSON.stringify(sent)).toString('base64');
    yield eventFrame('chunk', JSON.stringify({ bytes, p: 'abcdefghij' }));
  }
}
