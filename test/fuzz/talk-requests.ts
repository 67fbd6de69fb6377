// A random conversation as a request of each format's clients, written by the SDKs' types and never by the gateway's code.
import type { MessageCreateParams, MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import { writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Feature, Talk, TalkPart } from './random-talks.ts';
import {
  breakpoint,
  budgets,
  cacheControl,
  dataUrl,
  functionOf,
  given,
  listed,
  marked,
  parsed,
  wrapped,
  written,
} from './talk-request-parts.ts';
import { converseBody, generateContentBody } from './talk-requests-by-path.ts';

export interface TalkFormat {
  readonly name: 'chat_completions' | 'messages' | 'responses' | 'generate_content' | 'converse';
  readonly features: ReadonlySet<Feature>;
  /** The body as JSON text, where numbers keep their spelling; formats with the model in the path do without it. */
  write(talk: Talk, model: string): string;
}

/** SDK type `ChatCompletionCreateParams`. */
function chatBody({ system, turns, tools, options }: Talk, model: string): JsonObject {
  const text = (one: string) => ({ type: 'text', text: one });
  const image = (data: string) => ({ type: 'image_url', image_url: { url: dataUrl('image/png', data) } });
  const part = (one: TalkPart): JsonObject => {
    if (one.kind === 'text') return text(one.text);
    if (one.kind === 'image') return image(one.data);
    return { type: 'file', file: { filename: `${one.name}.pdf`, file_data: dataUrl('application/pdf', one.data) } };
  };
  const call = ({ id, name, args }: { readonly id: string; readonly name: string; readonly args: string }) => ({
    ...{ id, type: 'function', function: { name, arguments: args } },
  });
  const { choice, schema } = options;
  return given({
    model,
    messages: [
      ...system.map((content) => ({ role: 'system', content })),
      ...written(turns, {
        user: ({ parts, isMarked }) => [{ role: 'user', content: marked(parts.map(part), isMarked && cacheControl) }],
        system: ({ texts }) => texts.map((content) => ({ role: 'developer', content })),
        assistant: ({ thoughts, texts, images, calls }) => [
          {
            ...{ role: 'assistant', content: texts.length === 0 ? null : texts.map(text) },
            ...(images.length > 0 && { images: images.map(image) }),
            ...(calls.length > 0 && { tool_calls: calls.map(call) }),
            ...(thoughts.length > 0 && {
              thinking_blocks: thoughts.map((one) => ({
                type: 'thinking',
                thinking: one.text,
                signature: one.signature,
              })),
            }),
          },
        ],
        tool: ({ results }) =>
          results.map(({ id, text: result, images }) => ({
            ...{ role: 'tool', tool_call_id: id },
            content: images.length === 0 ? result : [text(result), ...images.map(image)],
          })),
      }),
    ],
    tools: listed(tools.map((tool) => ({ type: 'function', function: functionOf(tool) }))),
    max_completion_tokens: options.maxTokens,
    ...{ temperature: options.temperature, top_p: options.topP, top_k: options.topK, stop: options.stop },
    reasoning_effort: options.effort,
    response_format: options.isJson
      ? { type: 'json_object' }
      : schema && { type: 'json_schema', json_schema: { name: 'response', schema } },
    tool_choice: isObject(choice) ? { type: 'function', function: choice } : choice,
    parallel_tool_calls: options.isSerial ? false : undefined,
  });
}

type ClaudeBlock = Exclude<MessageParam['content'], string>[number];

function messagesBody({ system, turns, tools, options }: Talk, model: string): JsonObject {
  const text = (one: string) => ({ type: 'text', text: one }) satisfies ClaudeBlock;
  const image = (data: string) =>
    ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }) satisfies ClaudeBlock;
  const part = (one: TalkPart): ClaudeBlock => {
    if (one.kind === 'text') return text(one.text);
    if (one.kind === 'image') return image(one.data);
    const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: one.data };
    return { type: 'document', title: one.name, source };
  };
  const { choice, schema, effort, maxTokens = 4096, isSerial } = options;
  const kinds = { auto: 'auto', none: 'none', required: 'any' } as const;
  const kind =
    typeof choice === 'object' ? { type: 'tool' as const, name: choice.name } : choice && { type: kinds[choice] };
  const serial = isSerial ? { disable_parallel_tool_use: true } : {};
  const isNone = kind?.type === 'none';
  return given({
    model,
    max_tokens: effort === undefined ? maxTokens : maxTokens + budgets[effort],
    system: listed(system.map(text)),
    messages: written(turns, {
      user: ({ parts, isMarked }) => [{ role: 'user', content: marked(parts.map(part), isMarked && cacheControl) }],
      system: ({ texts }) => [{ role: 'system', content: texts.map(text) }],
      assistant: ({ thoughts, texts, calls }) => [
        {
          role: 'assistant',
          content: [
            ...thoughts.map((one) => ({ type: 'thinking', thinking: one.text, signature: one.signature })),
            ...texts.map(text),
            ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: parsed(args) })),
          ],
        },
      ],
      tool: ({ results }) => [
        {
          role: 'user',
          content: results.map(({ id, text: result, images }) => ({
            ...{ type: 'tool_result', tool_use_id: id },
            content: images.length === 0 ? result : [text(result), ...images.map(image)],
          })),
        },
      ],
    }),
    tools: listed(
      tools.map(({ name, description, parameters, isStrict }) =>
        given({ name, description, input_schema: parameters as Tool.InputSchema, strict: isStrict || undefined }),
      ),
    ),
    tool_choice: isNone
      ? kind
      : ((kind && { ...kind, ...serial }) ?? (isSerial ? { type: 'auto', ...serial } : undefined)),
    ...{ temperature: options.temperature, top_p: options.topP, top_k: options.topK, stop_sequences: options.stop },
    thinking: effort && { type: 'enabled', budget_tokens: budgets[effort] },
    output_config: schema && { format: { type: 'json_schema', schema } },
  } satisfies Partial<Record<keyof MessageCreateParams, unknown>>);
}

/** SDK type `ResponseCreateParams` of the package openai. */
function responsesBody({ system, turns, tools, options }: Talk, model: string): JsonObject {
  const text = (one: string) => ({ type: 'input_text', text: one });
  const image = (data: string) => ({ type: 'input_image', image_url: dataUrl('image/png', data), detail: 'auto' });
  const part = (one: TalkPart): JsonObject => {
    if (one.kind === 'text') return text(one.text);
    if (one.kind === 'image') return image(one.data);
    return { type: 'input_file', filename: `${one.name}.pdf`, file_data: dataUrl('application/pdf', one.data) };
  };
  const [instructions, ...others] = system;
  const { choice, schema } = options;
  return given({
    ...{ model, store: false, instructions },
    input: [
      ...others.map((one) => ({ role: 'developer', content: [text(one)] })),
      ...written(turns, {
        user: ({ parts, isMarked }) => [
          { type: 'message', role: 'user', content: marked(parts.map(part), isMarked && breakpoint) },
        ],
        system: ({ texts }) => [{ role: 'developer', content: texts.map(text) }],
        assistant: ({ thoughts, texts, calls }) => [
          ...thoughts.map((one) => ({
            ...{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: one.text }] },
            encrypted_content: wrapped(one),
          })),
          ...(texts.length === 0
            ? []
            : [
                {
                  ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
                  content: texts.map((one) => ({ type: 'output_text', text: one, annotations: [] })),
                },
              ]),
          ...calls.map(({ id, name, args }) => ({ type: 'function_call', call_id: id, name, arguments: args })),
        ],
        tool: ({ results }) =>
          results.map(({ id, text: result, images }) => ({
            ...{ type: 'function_call_output', call_id: id },
            output: images.length === 0 ? result : [text(result), ...images.map(image)],
          })),
      }),
    ],
    tools: listed(tools.map((tool) => ({ type: 'function', strict: false, ...functionOf(tool) }))),
    ...{ max_output_tokens: options.maxTokens, temperature: options.temperature, top_p: options.topP },
    reasoning: options.effort && { effort: options.effort },
    text: options.isJson
      ? { format: { type: 'json_object' } }
      : schema && { format: { type: 'json_schema', name: 'response', schema } },
    tool_choice: isObject(choice) ? { type: 'function', ...choice } : choice,
    parallel_tool_calls: options.isSerial ? false : undefined,
  });
}

const inAll = ['thoughts', 'files', 'result images'] as const;
const sampling = ['topK', 'stop', 'no choice'] as const;

function formatOf(
  name: TalkFormat['name'],
  features: readonly Feature[],
  body: (talk: Talk, model: string) => JsonObject,
): TalkFormat {
  return { name, features: new Set([...inAll, ...features]), write: (talk, model) => writeJson(body(talk, model)) };
}

export const talkFormats: readonly TalkFormat[] = [
  formatOf(
    'chat_completions',
    [...sampling, 'system inside', 'serial', 'made images', 'strict', 'json', 'cache'],
    chatBody,
  ),
  formatOf('messages', [...sampling, 'system inside', 'serial', 'strict', 'cache'], messagesBody),
  formatOf('responses', ['system inside', 'no choice', 'serial', 'strict', 'json', 'cache'], responsesBody),
  formatOf('generate_content', [...sampling, 'made images', 'json'], generateContentBody),
  formatOf('converse', [...sampling, 'serial', 'made images', 'strict', 'cache'], converseBody),
];
