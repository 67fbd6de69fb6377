// A request that passed the checks, or is being checked, and the functions by which rules and responses read it.
import { isObject, type Json } from '../checks.ts';
import type { SimulatedModel } from './models.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  /** Each block has exactly one member, whose name is its kind. */
  readonly content: readonly Json[];
}

/** Fields are as sent, without those that were null. */
export interface ConverseRequest {
  readonly body: Json;
  readonly model: SimulatedModel;
  /** The model id in the path. */
  readonly modelId: string;
  readonly messages: readonly Message[];
  readonly stream: boolean;
}

export interface PlacedBlock {
  readonly kind: string;
  readonly value: unknown;
  readonly role: Message['role'];
  /** A path such as `messages.0.content.1`. */
  readonly path: string;
}

/** Every block of every message, in order, without the blocks inside tool results. */
export function* blocksOf({ messages }: Pick<ConverseRequest, 'messages'>): Generator<PlacedBlock> {
  for (const [at, { role, content }] of messages.entries()) {
    for (const [index, block] of content.entries()) {
      const [kind, value] = onlyMember(block);
      yield { kind, value, role, path: `messages.${at}.content.${index}` };
    }
  }
}

/** Like `blocksOf`, with the blocks inside a tool result after it. */
export function* allBlocksOf(request: Pick<ConverseRequest, 'messages'>): Generator<PlacedBlock> {
  for (const block of blocksOf(request)) {
    yield block;
    if (block.kind !== 'toolResult') continue;
    for (const [index, inner] of members(block.value, 'content').entries()) {
      const [kind, value] = onlyMember(inner);
      yield { kind, value, role: block.role, path: `${block.path}.toolResult.content.${index}` };
    }
  }
}

/** The values of one kind in a message. */
export function blocksOfKind({ content }: Message, kind: string): readonly Json[] {
  return content.flatMap((block) => (isObject(block[kind]) ? [block[kind]] : []));
}

export function textOf({ content }: Message): string {
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

export function systemOf({ body }: ConverseRequest): readonly Json[] {
  return members(body, 'system');
}

export function toolsOf({ body }: ConverseRequest): readonly Json[] {
  return members(body.toolConfig, 'tools');
}

export function toolSpecsOf(request: ConverseRequest): readonly Json[] {
  return toolsOf(request).flatMap(({ toolSpec }) => (isObject(toolSpec) ? [toolSpec] : []));
}

export function inferenceOf({ body }: ConverseRequest): {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
} {
  return isObject(body.inferenceConfig) ? body.inferenceConfig : {};
}

/** The fields of the model's family, beside the common ones. */
export function extraFieldsOf({ body }: ConverseRequest): Json {
  return isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
}

export interface ToolChoice {
  readonly kind: 'auto' | 'any' | 'tool' | 'none';
  readonly name: string | undefined;
  /** Whether the request explicitly allows several calls at once. */
  readonly parallel: boolean;
}

/** From the common field or from the family's own. */
export function toolChoiceOf(request: ConverseRequest): ToolChoice {
  const { toolConfig } = request.body;
  const own = extraFieldsOf(request).tool_choice;
  if (isObject(own)) {
    const kind = own.type as ToolChoice['kind'];
    const name = typeof own.name === 'string' ? own.name : undefined;
    return { kind, name, parallel: own.disable_parallel_tool_use === false };
  }
  const choice = isObject(toolConfig) && isObject(toolConfig.toolChoice) ? toolConfig.toolChoice : {};
  if (isObject(choice.tool)) return { kind: 'tool', name: String(choice.tool.name), parallel: false };
  return { kind: choice.any === undefined ? 'auto' : 'any', name: undefined, parallel: false };
}

export function isForced({ kind }: ToolChoice): boolean {
  return kind === 'any' || kind === 'tool';
}

/** The JSON Schema of a JSON response, from the common field or the family's own. */
export function responseSchemaOf(request: ConverseRequest): unknown {
  const { outputConfig } = request.body;
  if (isObject(outputConfig) && isObject(outputConfig.textFormat)) {
    const { structure } = outputConfig.textFormat;
    const { schema } = ((structure as Json).jsonSchema ?? {}) as Json;
    return parsed(String(schema));
  }
  const own = extraFieldsOf(request).output_config;
  return isObject(own) && isObject(own.format) ? own.format.schema : undefined;
}

export function effortOf(request: ConverseRequest): string | undefined {
  const { outputConfig } = request.body;
  const own = extraFieldsOf(request).output_config;
  const effort = (isObject(outputConfig) ? outputConfig.effort : undefined) ?? (isObject(own) ? own.effort : undefined);
  return typeof effort === 'string' ? effort : undefined;
}

function members(value: unknown, key: string): readonly Json[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function onlyMember(block: Json): readonly [string, unknown] {
  return Object.entries(block)[0] ?? ['', undefined];
}

/** Undefined for invalid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
