// Responses in the callers' own format (SDK types `ChatCompletion`, `ChatCompletionChunk` of openai), with the
// reasoning fields that some vendors add.
import type OpenAI from 'openai';
import type { ExpectedResponse } from './corpus-responses.ts';
import type { OwnRow } from './responses.ts';
import { halves } from './responses-assistant.ts';

type Completion = OpenAI.ChatCompletion;
type Message = OpenAI.ChatCompletionMessage & { readonly reasoning_content?: string };

const finishReasons = {
  stop: 'stop',
  length: 'length',
  calls: 'tool_calls',
  filter: 'content_filter',
} as const;

export function gptCompletion({ pieces, ends, usage }: ExpectedResponse): Completion {
  const { input, output, cached = 0, thought = 0 } = usage;
  const text = pieces.flatMap((piece) => ('text' in piece ? [piece.text] : [])).join('');
  const thoughts = pieces.flatMap((piece) => ('thought' in piece ? [piece.thought] : [])).join('');
  const calls = pieces.flatMap((piece, at) =>
    'call' in piece
      ? [
          {
            id: `call_${at}`,
            type: 'function' as const,
            function: { name: piece.call, arguments: piece.args },
          },
        ]
      : [],
  );
  const message: Message = {
    ...{ role: 'assistant', content: text === '' && calls.length > 0 ? null : text, refusal: null },
    ...(thoughts !== '' && { reasoning_content: thoughts }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return completion(message, finishReasons[ends], {
    ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: thought, audio_tokens: 0 },
  });
}

const plainUsage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 };

function completion(
  message: Message,
  finish_reason: Completion['choices'][number]['finish_reason'],
  usage: NonNullable<Completion['usage']> = plainUsage,
): Completion {
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_795_176_000, model: 'model', usage },
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
  };
}

export const gptRows: readonly OwnRow<Completion>[] = [
  {
    name: 'a refusal',
    response: completion({ role: 'assistant', content: null, refusal: 'I will not.' }, 'stop'),
    expected: { finish: 'stop' },
  },
];

export function gptStream({ choices: [choice], usage, ...whole }: Completion): Buffer {
  const known = { ...whole, object: 'chat.completion.chunk', usage: null };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...known,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  });
  const { content, refusal, reasoning_content = '', tool_calls = [] }: Partial<Message> = choice?.message ?? {};
  const calls = tool_calls.flatMap((call, index) => {
    if (call.type !== 'function') return [];
    const { name, arguments: args } = call.function;
    return [
      { tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] },
      ...halves(args).map((one) => ({ tool_calls: [{ index, function: { arguments: one } }] })),
    ];
  });
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...halves(reasoning_content).map((one) => chunk({ reasoning_content: one })),
    ...halves(content ?? '').map((one) => chunk({ content: one })),
    ...halves(refusal ?? '').map((one) => chunk({ refusal: one })),
    ...calls.map((one) => chunk(one)),
    chunk({}, choice?.finish_reason ?? 'stop'),
    { ...known, choices: [], usage },
  ];
  return Buffer.from(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
}
