// A random conversation as a request of each format's clients, written by the SDKs' types and never by the gateway's code.
import type { MessageCreateParams, MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import { parseExactJson, writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { issuerOf } from '../../proxy/conversation/opaque.ts';
import { wrapThinking } from '../../proxy/models/claude/wrapped-thinking.ts';
import { type Feature, type Talk, type TalkPart, type TalkTurn, type Thought, thinker } from './random-talks.ts';

export interface TalkFormat {
  readonly name: 'chat_completions' | 'messages' | 'responses' | 'generate_content' | 'converse';
  readonly features: ReadonlySet<Feature>;
  /** The body as JSON text, where numbers keep their spelling; formats with the model in the path do without it. */
  write(talk: Talk, model: string): string;
}

type Turn<Role> = Extract<TalkTurn, { readonly role: Role }>;
type Writers = { readonly [Role in TalkTurn['role']]: (turn: Turn<Role>) => readonly JsonObject[] };

/** The turns in the form of one format. */
function written(turns: readonly TalkTurn[], writers: Writers): readonly JsonObject[] {
  return turns.flatMap((turn) => writtenTurn(turn, writers));
}

function writtenTurn(turn: TalkTurn, writers: Writers): readonly JsonObject[] {
  switch (turn.role) {
    case 'user':
      return writers.user(turn);
    case 'system':
      return writers.system(turn);
    case 'assistant':
      return writers.assistant(turn);
    case 'tool':
      return writers.tool(turn);
  }
}

function given(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const parsed = (json: string) => parseExactJson(json);
const dataUrl = (type: string, data: string) => `data:${type};base64,${data}`;

function wrapped({ text, signature }: Thought): string {
  const issuer = issuerOf(thinker.vendor, thinker.keyId);
  const [block] = wrapThinking({ type: 'thinking', thinking: text, signature }, issuer);
  return block?.type === 'thinking' ? block.signature : '';
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
        user: ({ parts }) => [{ role: 'user', content: parts.map(part) }],
        system: ({ texts }) => texts.map((content) => ({ role: 'developer', content })),
        assistant: ({ thoughts, texts, calls }) => [
          {
            ...{ role: 'assistant', content: texts.length === 0 ? null : texts.map(text) },
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
    tools: listed(tools.map((tool) => ({ type: 'function', function: given({ ...tool }) }))),
    max_completion_tokens: options.maxTokens,
    ...{ temperature: options.temperature, top_p: options.topP, top_k: options.topK, stop: options.stop },
    reasoning_effort: options.effort,
    response_format: schema && { type: 'json_schema', json_schema: { name: 'response', schema } },
    tool_choice: isObject(choice) ? { type: 'function', function: choice } : choice,
    parallel_tool_calls: options.isSerial ? false : undefined,
  });
}

function listed<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

type ClaudeBlock = Exclude<MessageParam['content'], string>[number];

/** Thinking needs a limit above its budget. */
const budgets = { low: 1024, medium: 8192, high: 20_000 } as const;

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
      user: ({ parts }) => [{ role: 'user', content: parts.map(part) }],
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
      tools.map(({ name, description, parameters }) =>
        given({ name, description, input_schema: parameters as Tool.InputSchema }),
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
        user: ({ parts }) => [{ type: 'message', role: 'user', content: parts.map(part) }],
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
    tools: listed(tools.map((tool) => given({ type: 'function', ...tool, strict: false }))),
    ...{ max_output_tokens: options.maxTokens, temperature: options.temperature, top_p: options.topP },
    reasoning: options.effort && { effort: options.effort },
    text: schema && { format: { type: 'json_schema', name: 'response', schema } },
    tool_choice: isObject(choice) ? { type: 'function', ...choice } : choice,
    parallel_tool_calls: options.isSerial ? false : undefined,
  });
}

/** On the wire `GenerateContentRequest` of v1beta; SDK types `Content`, `Part`. */
function generateContentBody({ system, turns, tools, options }: Talk): JsonObject {
  const text = (one: string) => ({ text: one });
  const image = (data: string) => ({ inlineData: { mimeType: 'image/png', data } });
  const part = (one: TalkPart): JsonObject => {
    if (one.kind === 'text') return text(one.text);
    if (one.kind === 'image') return image(one.data);
    return { inlineData: { mimeType: 'application/pdf', data: one.data, displayName: `${one.name}.pdf` } };
  };
  const { choice, schema } = options;
  const modes = { auto: { mode: 'AUTO' }, none: { mode: 'NONE' }, required: { mode: 'ANY' } } as const;
  const calling =
    typeof choice === 'object' ? { mode: 'ANY', allowedFunctionNames: [choice.name] } : choice && modes[choice];
  const config = given({
    ...{ maxOutputTokens: options.maxTokens, temperature: options.temperature, topP: options.topP, topK: options.topK },
    stopSequences: options.stop,
    thinkingConfig: options.effort && { thinkingBudget: budgets[options.effort] },
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
  });
  return given({
    systemInstruction: system.length === 0 ? undefined : { parts: system.map(text) },
    contents: written(turns, {
      user: ({ parts }) => [{ role: 'user', parts: parts.map(part) }],
      system: () => [],
      assistant: ({ thoughts, texts, calls }) => [
        {
          role: 'model',
          parts: [
            ...thoughts.map((one) => ({
              ...{ text: one.text, thought: true, thoughtSignature: Buffer.from(wrapped(one)).toString('base64') },
            })),
            ...texts.map(text),
            ...calls.map(({ id, name, args }) => ({ functionCall: { id, name, args: parsed(args) } })),
          ],
        },
      ],
      tool: ({ results }) => [
        {
          role: 'user',
          parts: results.map(({ id, name, text: output, images }) => ({
            functionResponse: {
              ...{ id, name, response: { output } },
              ...(images.length > 0 && { parts: images.map(image) }),
            },
          })),
        },
      ],
    }),
    tools:
      tools.length > 0
        ? [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) =>
                given({ name, description, parametersJsonSchema: parameters }),
              ),
            },
          ]
        : undefined,
    toolConfig: calling && { functionCallingConfig: calling },
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
  });
}

/** SDK type `ConverseRequest`. */
function converseBody({ system, turns, tools, options }: Talk): JsonObject {
  const text = (one: string) => ({ text: one });
  const image = (bytes: string) => ({ image: { format: 'png', source: { bytes } } });
  const part = (one: TalkPart): JsonObject => {
    if (one.kind === 'text') return text(one.text);
    if (one.kind === 'image') return image(one.data);
    return { document: { format: 'pdf', name: one.name, source: { bytes: one.data } } };
  };
  const { choice, schema, effort, maxTokens = 4096 } = options;
  const kinds = { auto: { auto: {} }, required: { any: {} } } as const;
  const common =
    typeof choice === 'object' ? { tool: choice } : choice === 'none' ? undefined : choice && kinds[choice];
  const limit = effort === undefined ? options.maxTokens : maxTokens + budgets[effort];
  const inferenceConfig = given({
    ...{ maxTokens: limit, temperature: options.temperature, topP: options.topP, stopSequences: options.stop },
  });
  const own = choice === 'none' ? { type: 'none' } : options.isSerial ? serialChoice(choice) : undefined;
  const extra = given({
    ...{ top_k: options.topK, thinking: effort && { type: 'enabled', budget_tokens: budgets[effort] } },
    tool_choice: own,
  });
  const structure = { jsonSchema: { name: 'response', schema: JSON.stringify(schema) } };
  return given({
    system: listed(system.map(text)),
    messages: written(turns, {
      user: ({ parts }) => [{ role: 'user', content: parts.map(part) }],
      system: ({ texts }) => [{ role: 'system', content: texts.map(text) }],
      assistant: ({ thoughts, texts, calls }) => [
        {
          role: 'assistant',
          content: [
            ...thoughts.map(({ text: thought, signature }) => ({
              reasoningContent: { reasoningText: { text: thought, signature } },
            })),
            ...texts.map(text),
            ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: parsed(args) } })),
          ],
        },
      ],
      tool: ({ results }) => [
        {
          role: 'user',
          content: results.map(({ id, text: result, images }) => ({
            toolResult: { toolUseId: id, content: [text(result), ...images.map(image)] },
          })),
        },
      ],
    }),
    inferenceConfig: Object.keys(inferenceConfig).length === 0 ? undefined : inferenceConfig,
    toolConfig:
      tools.length === 0
        ? undefined
        : given({
            tools: tools.map(({ name, description, parameters }) => ({
              toolSpec: given({ name, description, inputSchema: { json: parameters } }),
            })),
            toolChoice: own === undefined ? common : undefined,
          }),
    additionalModelRequestFields: Object.keys(extra).length === 0 ? undefined : extra,
    outputConfig: schema && { textFormat: { type: 'json_schema', structure } },
  });
}

/** Claude's own choice, as the service passes it on. */
function serialChoice(choice: Talk['options']['choice']): JsonObject {
  const kind = isObject(choice) ? { type: 'tool', ...choice } : { type: choice === 'required' ? 'any' : 'auto' };
  return { ...kind, disable_parallel_tool_use: true };
}

const inAll = ['thoughts', 'files', 'result images'] as const;

function formatOf(
  name: TalkFormat['name'],
  features: readonly Feature[],
  body: (talk: Talk, model: string) => JsonObject,
): TalkFormat {
  return { name, features: new Set([...inAll, ...features]), write: (talk, model) => writeJson(body(talk, model)) };
}

export const talkFormats: readonly TalkFormat[] = [
  formatOf('chat_completions', ['system inside', 'topK', 'stop', 'no choice', 'serial'], chatBody),
  formatOf('messages', ['system inside', 'topK', 'stop', 'no choice', 'serial'], messagesBody),
  formatOf('responses', ['system inside', 'no choice', 'serial'], responsesBody),
  formatOf('generate_content', ['topK', 'stop', 'no choice'], generateContentBody),
  formatOf('converse', ['topK', 'stop', 'no choice', 'serial'], converseBody),
];
