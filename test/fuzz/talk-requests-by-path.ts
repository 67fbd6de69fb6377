// A random conversation as a request of the formats that have the model in the path.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Talk, TalkPart } from './random-talks.ts';
import { budgets, cachePoint, given, listed, parsed, wrapped, written } from './talk-request-parts.ts';

/** On the wire `GenerateContentRequest` of v1beta; SDK types `Content`, `Part`. */
export function generateContentBody({ system, turns, tools, options }: Talk): JsonObject {
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
    responseMimeType: schema !== undefined || options.isJson ? 'application/json' : undefined,
    responseJsonSchema: schema,
  });
  return given({
    systemInstruction: system.length === 0 ? undefined : { parts: system.map(text) },
    contents: written(turns, {
      user: ({ parts }) => [{ role: 'user', parts: parts.map(part) }],
      system: () => [],
      assistant: ({ thoughts, texts, images, calls }) => [
        {
          role: 'model',
          parts: [
            ...thoughts.map((one) => ({
              ...{ text: one.text, thought: true, thoughtSignature: Buffer.from(wrapped(one)).toString('base64') },
            })),
            ...texts.map(text),
            ...images.map(image),
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
export function converseBody({ system, turns, tools, options }: Talk): JsonObject {
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
      user: ({ parts, isMarked }) => [
        { role: 'user', content: [...parts.map(part), ...(isMarked ? [cachePoint] : [])] },
      ],
      system: ({ texts }) => [{ role: 'system', content: texts.map(text) }],
      assistant: ({ thoughts, texts, images, calls }) => [
        {
          role: 'assistant',
          content: [
            ...thoughts.map(({ text: thought, signature }) => ({
              reasoningContent: { reasoningText: { text: thought, signature } },
            })),
            ...texts.map(text),
            ...images.map(image),
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
            tools: tools.map(({ name, description, parameters, isStrict }) => ({
              toolSpec: given({ name, description, inputSchema: { json: parameters }, strict: isStrict || undefined }),
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
