// Responses of the vendors with random numbers at every location where a vendor may write one, whole and as streams.
import type { IncomingHttpHeaders } from 'node:http';
import { eventFrame } from '../../simulator/managed-cloud-models/frames.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import type { Random } from '../support/access/random.ts';
import { randomFraction, randomWhole } from '../support/json-numbers.ts';
import { type Expected, Planted } from '../support/planted-numbers.ts';
import { argumentsText, word } from './number-requests.ts';

export interface NumberResponse {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The numbers that callers receive unchanged. */
  readonly planted: Planted;
  /** The numbers that callers receive under another name. */
  readonly expected: readonly Expected[];
  /** The arguments of the call. */
  readonly arguments: string;
  /** Whether the arguments are sent as text. */
  readonly argumentsAsText: boolean;
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number };
}

interface Making {
  readonly random: Random;
  readonly planted: Planted;
  readonly args: string;
  /** A token count in any spelling. */
  readonly input: string;
  readonly output: string;
  /** Whether the response contains log probabilities. */
  readonly logprobs: boolean;
  readonly logprob: string;
}

export function numberResponse(
  random: Random,
  vendor: VendorName,
  { stream, logprobs }: { readonly stream: boolean; readonly logprobs: boolean },
): NumberResponse {
  const planted = new Planted(random);
  const logprob = `-${randomFraction(random)}`;
  const [promptTokens, completionTokens] = [1 + random.below(5000), 1 + random.below(5000)];
  const isOwnFormat = vendor === 'gpt-provider' || vendor === 'studio-ai';
  const argumentsAsText = isOwnFormat || (stream && vendor !== 'search-provider');
  const making: Making = {
    // In an object the last of repeated names counts; a text is kept unchanged.
    ...{ random, planted, logprobs, args: argumentsText(random, argumentsAsText) },
    input: planted.number(randomWhole(random, promptTokens, promptTokens)),
    output: planted.number(randomWhole(random, completionTokens, completionTokens)),
    logprob: planted.number(logprob),
  };
  const { whole, events } = forms[vendor];
  const bytes = stream ? events(making) : Buffer.from(whole(making));
  const streamType = vendor === 'managed-cloud-models' ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
  return {
    headers: { 'content-type': stream ? streamType : 'application/json' },
    ...{ bytes, planted, arguments: making.args, argumentsAsText },
    expected: logprobs && vendor === 'search-provider' ? [{ path: /\/logprob$/, source: logprob }] : [],
    usage: { promptTokens, completionTokens },
  };
}

interface Forms {
  whole(making: Making): string;
  events(making: Making): Buffer;
}

const gpt: Forms = {
  whole: ({ planted, args, input, output, logprobs }) =>
    planted.write({
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model: 'm' },
      choices: [
        {
          index: planted.number('0.0'),
          message: {
            role: 'assistant',
            content: `It is ${word}.`,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: args } }],
            x_message: planted.fields(2),
          },
          ...(logprobs && { logprobs: { content: [{ token: 'It', logprob: 'x', ...planted.fields(3) }] } }),
          finish_reason: 'tool_calls',
          x_choice: planted.fields(1),
        },
      ],
      usage: { prompt_tokens: input, completion_tokens: output, x_usage: planted.fields(2) },
      x_top: planted.fields(2),
    }),
  events: ({ random, planted, args, input, output }) => {
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' };
    const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
      ...{
        ...head,
        choices: [{ index: planted.number(random.pick(['0', '0.0', '0e1'])), delta, finish_reason: finish }],
      },
      ...more,
    });
    const called = (fields: object) => ({
      tool_calls: [{ index: planted.number(random.pick(['0', '0.0', '-0'])), ...fields }],
    });
    const chunks = [
      chunk({ role: 'assistant', content: '' }),
      ...pieces(random, `It is ${word}.`).map((content) => chunk({ content })),
      chunk({}, null, { x_top: planted.fields(2) }),
      chunk({ x_delta: planted.fields(2) }),
      chunk(called({ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '' } })),
      ...pieces(random, args).map((text) => chunk(called({ function: { arguments: text } }))),
      chunk({}, 'tool_calls', { x_last: planted.fields(1) }),
      {
        ...{ ...head, choices: [] },
        usage: { prompt_tokens: input, completion_tokens: output, x_usage: planted.fields(2) },
      },
    ];
    return Buffer.from([...chunks.map((one) => planted.write(one)), '[DONE]'].map(event).join(''));
  },
};

const assistant: Forms = {
  whole: ({ planted, args, input, output }) =>
    spliced(
      planted.write({
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use' },
        content: [
          { type: 'text', text: `It is ${word}.` },
          { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: argumentsMark },
        ],
        usage: { input_tokens: input, output_tokens: output },
      }),
      args,
    ),
  events: ({ random, planted, args, input, output }) => {
    const index = (at: number) => planted.number(random.pick([String(at), `${at}.0`, `${at}e0`]));
    const delta = (at: number, parsed: object) => ({
      type: 'content_block_delta',
      index: index(at),
      delta: parsed,
    });
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
    const tool = { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} };
    const events = [
      { type: 'message_start', message: { ...message, usage: { input_tokens: input, output_tokens: 1 } } },
      { type: 'content_block_start', index: index(0), content_block: { type: 'text', text: '' } },
      ...pieces(random, `It is ${word}.`).map((text) => delta(0, { type: 'text_delta', text })),
      { type: 'content_block_stop', index: index(0) },
      { type: 'content_block_start', index: index(1), content_block: tool },
      ...pieces(random, args).map((text) => delta(1, { type: 'input_json_delta', partial_json: text })),
      { type: 'content_block_stop', index: index(1) },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: output } },
      { type: 'message_stop' },
    ];
    return Buffer.from(events.map((one) => `event: ${one.type}\n${event(planted.write(one))}`).join(''));
  },
};

const search: Forms = {
  whole: (making) => spliced(making.planted.write(searchReply(making)), making.args),
  events: (making) => {
    const { random, planted, args, input, output } = making;
    const texts = pieces(random, `It is ${word}.`).map((text) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, index: planted.number('0.0') }],
      usageMetadata: { promptTokenCount: input, candidatesTokenCount: output },
    }));
    const last = searchReply(making);
    return Buffer.from([...texts, last].map((one) => event(spliced(planted.write(one), args))).join(''));
  },
};

function searchReply({ planted, input, output, logprobs, logprob }: Making): object {
  return {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: `It is ${word}.` }, { functionCall: { name: 'look_up', args: argumentsMark } }],
        },
        ...{ finishReason: 'STOP', index: planted.number('0e0') },
        groundingMetadata: { x_grounding: planted.fields(2) },
        citationMetadata: { x_citation: planted.fields(1) },
        safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', ...planted.fields(1) }],
        ...(logprobs && {
          logprobsResult: { chosenCandidates: [{ token: 'It', logProbability: logprob }] },
        }),
      },
    ],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output },
    modelVersion: 'm',
    responseId: 'r1',
  };
}

const cloud: Forms = {
  whole: ({ planted, args, input, output }) =>
    spliced(
      planted.write({
        output: {
          message: {
            role: 'assistant',
            content: [
              { text: `It is ${word}.` },
              { toolUse: { toolUseId: 'tool_1', name: 'look_up', input: argumentsMark } },
            ],
          },
        },
        stopReason: 'tool_use',
        usage: { inputTokens: input, outputTokens: output, totalTokens: 0 },
        metrics: { latencyMs: 1 },
      }),
      args,
    ),
  events: ({ random, planted, args, input, output }) => {
    const index = (at: number) => planted.number(random.pick([String(at), `${at}.0`]));
    const frames: readonly (readonly [string, object])[] = [
      ['messageStart', { role: 'assistant' }],
      ...pieces(random, `It is ${word}.`).map(
        (text) => ['contentBlockDelta', { contentBlockIndex: index(0), delta: { text } }] as const,
      ),
      ['contentBlockStop', { contentBlockIndex: index(0) }],
      [
        'contentBlockStart',
        { contentBlockIndex: index(1), start: { toolUse: { toolUseId: 'tool_1', name: 'look_up' } } },
      ],
      ...pieces(random, args).map(
        (text) => ['contentBlockDelta', { contentBlockIndex: index(1), delta: { toolUse: { input: text } } }] as const,
      ),
      ['contentBlockStop', { contentBlockIndex: index(1) }],
      ['messageStop', { stopReason: 'tool_use' }],
      ['metadata', { usage: { inputTokens: input, outputTokens: output, totalTokens: 0 } }],
    ];
    return Buffer.concat(frames.map(([type, payload]) => eventFrame(type, planted.write(payload))));
  },
};

const forms: Readonly<Record<VendorName, Forms>> = {
  'gpt-provider': gpt,
  'studio-ai': gpt,
  'assistant-provider': assistant,
  'search-provider': search,
  'managed-cloud-models': cloud,
};

const argumentsMark = '#arguments#';

function spliced(text: string, args: string): string {
  return text.replace(`"${argumentsMark}"`, () => args);
}

/** Writes an event with a data line for each line of the text. */
function event(data: string): string {
  return `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}

function pieces(random: Random, text: string): string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + random.below(random.pick([1, 4, 40, 1000]));
    cut.push(text.slice(at, at + size));
    at += size;
  }
  return cut;
}
