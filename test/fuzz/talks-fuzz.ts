// Translates random conversations from each format of clients into each vendor's, reads them there as that format's own
// clients are read, and translates them back. What differs is what the gateway has named as dropped or emulated.
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { GatewayError } from '../../proxy/errors.ts';
import { customProvider } from '../../proxy/providers/custom.ts';
import { buildRequest, nativeFormat, type Provider, type ProviderCall } from '../../proxy/providers/provider.ts';
import { responsesServer } from '../../proxy/providers/responses.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import { Random } from '../support/access/random.ts';
import { callOf, clientCallOf } from '../support/vendor-calls.ts';
import { randomTalk, type Talk } from './random-talks.ts';
import { expectSameTalk, plain } from './talk-forms.ts';
import { afterLosses, type ReportedLosses } from './talk-losses.ts';
import { talkIn, withoutPlaceholders } from './talk-readings.ts';
import { type TalkFormat, talkFormats } from './talk-requests.ts';
import type { FuzzOptions } from './translate-fuzz.ts';

interface TalkTarget {
  readonly vendor: VendorName;
  readonly model: string;
  /** A server with models of the vendor, in another format. */
  readonly server?: Provider;
}

/** A custom provider in a format that reaches a shipped vendor only from clients of the same format. */
const server = customProvider(responsesServer, {
  ...{ id: 'server', name: 'server', baseUrl: 'https://server.test/v1', models: [] },
  ...{ wireFormat: 'responses', keyForm: 'bearer' },
});

/** Of each vendor's format, and of the families of models with rules of their own. */
const targets: readonly TalkTarget[] = [
  { vendor: 'gpt-provider', model: 'gpt-4.1-mini' },
  { vendor: 'gpt-provider', model: 'gpt-5' },
  { vendor: 'gpt-provider', model: 'gpt-4.1-mini', server },
  { vendor: 'gpt-provider', model: 'gpt-5', server },
  { vendor: 'studio-ai', model: 'gpt-4o-mini' },
  { vendor: 'studio-ai', model: 'DeepSeek-V3.2' },
  { vendor: 'assistant-provider', model: 'claude-sonnet-4-5' },
  { vendor: 'assistant-provider', model: 'claude-opus-5' },
  { vendor: 'search-provider', model: 'gemini-2.5-flash' },
  { vendor: 'search-provider', model: 'gemini-3-flash-preview' },
  { vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
  { vendor: 'managed-cloud-models', model: 'us.anthropic.claude-opus-5' },
  { vendor: 'managed-cloud-models', model: 'amazon.nova-pro-v1:0' },
  { vendor: 'managed-cloud-models', model: 'mistral.mistral-large-2407-v1:0' },
  { vendor: 'managed-cloud-models', model: 'openai.gpt-oss-120b-1:0' },
];

/** @returns how often each outcome was seen @throws Error that names the first case with a loss that nobody named */
export async function fuzzTalks({ seed, cases }: FuzzOptions): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  for (let number = seed; number < seed + cases; number++) {
    for (const format of talkFormats) {
      const talk = randomTalk(new Random(number * 7919), format.features);
      for (const target of targets) {
        const named = target.server === undefined ? target.vendor : `a server of ${target.server.format.name}`;
        const outcome = `${format.name} to ${named}: ${await runCase(number, format, { talk, ...target })}`;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
  }
  return outcomes;
}

interface TalkCase extends TalkTarget {
  readonly talk: Talk;
}

async function runCase(number: number, format: TalkFormat, one: TalkCase): Promise<string> {
  const { talk, vendor, model, server } = one;
  const json = format.write(talk, model);
  try {
    return await thereAndBack(format, json, one);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unsupported_parameter') {
      return `refused ${error.param?.replaceAll(/\d+/g, '#')}`;
    }
    const at = `${vendor} ${model}${server === undefined ? '' : ' of a server'}`;
    throw new Error(`case ${number}, ${format.name} to ${at}: ${String(error)}\n${json}`, {
      cause: error,
    });
  }
}

async function thereAndBack(format: TalkFormat, json: string, one: TalkCase): Promise<string> {
  const { talk, vendor, model } = one;
  const sent = { format: clientFormats[format.name], body: bodyIn(json), stream: false };
  const call = atServer(clientCallOf(vendor, model, sent), one);
  const read = talkIn({ ...call.request.body, messages: call.request.messages });
  expectSameTalk(plain(withLimit(read, talk)), plain(talk), 'as the gateway reads it');
  const there = await translated(call, read, 'at the vendor');
  if (isNative(call)) return 'same there';
  const home = homes[format.name];
  const back = atServer(callOf(home.vendor, home.model, writeJson(there.chat)), home);
  await translated(back, there.talk, 'on the way back');
  return 'same there and back';
}

function atServer(call: ProviderCall, { server }: TalkTarget): ProviderCall {
  return server === undefined ? call : { ...call, target: { ...call.target, provider: server } };
}

/** An own vendor for each format. */
const homes: Readonly<Record<TalkFormat['name'], TalkTarget>> = {
  chat_completions: { vendor: 'gpt-provider', model: 'gpt-4.1-mini' },
  responses: { vendor: 'gpt-provider', model: 'gpt-5', server },
  messages: { vendor: 'assistant-provider', model: 'claude-sonnet-4-5' },
  generate_content: { vendor: 'search-provider', model: 'gemini-2.5-flash' },
  converse: { vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
};

function bodyIn(json: string): JsonObject {
  const body = parseExactJson(json);
  if (!isObject(body)) throw new Error('the request is no object');
  return body;
}

function isNative(call: ProviderCall): boolean {
  return nativeFormat(call) !== undefined;
}

/** Formats that need a budget of thinking have it beside the limit of the text, and some formats need a limit. */
function withLimit(read: Talk, { options }: Talk): Talk {
  if (options.effort === undefined && options.maxTokens !== undefined) return read;
  return { ...read, options: { ...read.options, maxTokens: options.maxTokens } };
}

interface Translated {
  readonly chat: JsonObject;
  readonly talk: Talk;
}

/** @param read what the call contains @throws Error for a loss that is not named */
async function translated(call: ProviderCall, read: Talk, what: string): Promise<Translated> {
  const { body, dropped = [], emulated = [] } = await buildRequest(call);
  const chat = readAs(formatAt(call), bodyIn(body), call.model);
  const { client } = call.request;
  const isNamed = (names: readonly string[]) => (field: string) =>
    names.includes(client?.translation.fieldOf(field) ?? field);
  const losses: ReportedLosses = { isDropped: isNamed(dropped), isEmulated: isNamed(emulated) };
  const received = talkIn(chat);
  const after = withoutPlaceholders(received);
  const before = withinLimit(withoutPlaceholders(read), after, call);
  const talk = asRequested(after, before, call);
  const shown = `${what} (dropped ${dropped}, emulated ${emulated})`;
  expectSameTalk(plain(talk), plain(afterLosses(before, losses, talk)), shown);
  return { chat, talk: received };
}

/** A limit above the model's own is lowered to that, for vendors that would refuse it. */
function withinLimit(read: Talk, sent: Talk, { outputTokensMax = 0 }: ProviderCall): Talk {
  const { maxTokens = 0 } = read.options;
  const isLowered = maxTokens > outputTokensMax && sent.options.maxTokens === outputTokensMax;
  return isLowered ? { ...read, options: { ...read.options, maxTokens: outputTokensMax } } : read;
}

type ReadFormat = TalkFormat['name'];

function formatAt(call: ProviderCall): ReadFormat {
  const name = isNative(call) ? call.request.client?.translation.name : call.target.provider.format.name;
  if (name === undefined || name === 'invoke') throw new Error('there is no such vendor');
  return name;
}

/** Fields of the vendors that their own clients send to them, and the gateway needs for no other vendor. */
const known: ReadonlySet<string> = new Set(['generationConfig.thinkingConfig.includeThoughts', 'store']);

function readAs(format: ReadFormat, body: JsonObject, model: string): JsonObject {
  const { translation } = clientFormats[format];
  if (translation === undefined) return body;
  const { chat, losses } = translation.readRequest(body, { model, stream: false });
  if (losses.refusal !== undefined) throw new Error(`the vendor's own reader refuses it: ${losses.refusal.message}`);
  const lost = losses.dropped.filter((name) => !known.has(name));
  if (lost.length > 0) throw new Error(`the vendor's own reader does not know ${lost}`);
  return chat;
}

/** What the gateway adds is taken out: a schema as a tool or as words, the size of an effort. */
function asRequested(talk: Talk, read: Talk, { capabilities }: ProviderCall): Talk {
  const { effort } = talk.options;
  // A budget is a share of the limit.
  const isShare = capabilities.reasoning === 'budget' && effort !== undefined && read.options.effort !== undefined;
  const sized = isShare ? { ...talk, options: { ...talk.options, effort: read.options.effort } } : talk;
  const words = sized.system.at(-1) ?? '';
  if (read.options.isJson && !talk.options.isJson && words.includes('one JSON object')) {
    return { ...sized, system: sized.system.slice(0, -1), options: { ...sized.options, isJson: true } };
  }
  if (read.options.schema === undefined || talk.options.schema !== undefined) return sized;
  const tool = sized.tools.find(({ name }) => name === 'json_tool_call');
  const { choice, isSerial } = read.options;
  if (tool !== undefined) {
    const tools = sized.tools.filter((one) => one !== tool);
    return { ...sized, tools, options: { ...sized.options, schema: tool.parameters, choice, isSerial } };
  }
  const [, schema] = /JSON Schema below.*\n(\{.*\})$/s.exec(words) ?? [];
  if (schema === undefined) return sized;
  return { ...sized, system: sized.system.slice(0, -1), options: { ...sized.options, schema: bodyIn(schema) } };
}
