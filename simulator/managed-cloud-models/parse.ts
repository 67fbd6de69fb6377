// Parses a request in the vendor's order: the form of its fields (ConverseRequest, ConverseStreamRequest and
// CountTokensRequest of the SDK), the model in the path, then the rules of the conversation and of that model.
import {
  arrayOf,
  boolean,
  type Check,
  decimal,
  integer,
  isObject,
  type Json,
  object,
  oneOf,
  string,
} from '../checks.ts';
import { estimateTokens } from '../tokens.ts';
import { cachePoint, contentBlock, systemBlock, toolName } from './content.ts';
import { servicePath } from './faults.ts';
import { contextFits, outputFits, promptTokens } from './limits.ts';
import { resolveCounted, resolveModel } from './model-id.ts';
import { invalid, unreadable } from './refusal.ts';
import type { ConverseRequest, Message } from './request.ts';
import { rules } from './rules.ts';
import { blob, jsonObject, union, withoutNulls } from './shapes.ts';
import { thinkingFits } from './thinking.ts';

/** The parts of the path. */
interface Target {
  readonly modelId: string;
  readonly stream: boolean;
}

/** @throws Refusal or FieldFault */
export function parseRequest(value: unknown, target: Target): ConverseRequest {
  if (!isObject(value)) throw unreadable('Start of structure or map expected');
  const body = withoutNulls(value) as Json;
  (target.stream ? streamFields : fields)(body, '');
  const request = {
    ...target,
    body,
    model: resolveModel(target.modelId),
    messages: (body.messages ?? []) as readonly Message[],
  };
  for (const rule of rules) rule(request);
  return request;
}

/** @returns the number of tokens. @throws Refusal or FieldFault */
export function parseCount(value: unknown, modelId: string): number {
  if (!isObject(value)) throw unreadable('Start of structure or map expected');
  const sent = withoutNulls(value) as Json;
  countFields(sent, '');
  const model = resolveCounted(modelId);
  const { converse, invokeModel } = sent.input as Readonly<Record<string, Json | undefined>>;
  if (converse === undefined) {
    return estimateTokens(Buffer.from(String(invokeModel?.body), 'base64').toString());
  }
  const messages = (converse.messages ?? []) as readonly Message[];
  const request = { modelId, stream: false, body: converse, model, messages };
  for (const rule of rules) if (!ofCalls.has(rule)) rule(request);
  return promptTokens(request);
}

/** Rules about fields that a count does not have, and about the size that it is to find out. */
const ofCalls: ReadonlySet<(typeof rules)[number]> = new Set([outputFits, contextFits, thinkingFits]);

const guardrail = {
  guardrailIdentifier: string({
    max: 2048,
    pattern: /^(([a-z0-9]+)|(arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:[0-9]{12}:guardrail\/[a-z0-9]+))?$/,
  }),
  guardrailVersion: string({ pattern: /^(|([1-9][0-9]{0,7})|(DRAFT))$/ }),
  trace: oneOf('enabled', 'disabled', 'enabled_full'),
};

const metadataCharacters = 'a-zA-Z0-9\\s:_@$#=/+,.-';

const requestMetadata: Check = (value, path) => {
  if (!isObject(value)) throw unreadable('Expected null');
  const entries = Object.entries(value);
  if (entries.length < 1 || entries.length > 16) {
    const bound = entries.length < 1 ? 'greater than or equal to 1' : 'less than or equal to 16';
    throw metadataFault(path, `Member must have length ${bound}`);
  }
  for (const [key, member] of entries) {
    string()(member, `${path}.${key}`);
    if (!new RegExp(`^[${metadataCharacters}]{1,256}$`).test(key)) {
      throw metadataFault(
        path,
        `Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [${metadataCharacters}]{1,256}]`,
      );
    }
    if (!new RegExp(`^[${metadataCharacters}]{0,256}$`).test(member as string)) {
      throw metadataFault(
        path,
        `Map value must satisfy constraint: [Member must satisfy regular expression pattern: [${metadataCharacters}]{0,256}]`,
      );
    }
  }
};

function metadataFault(path: string, constraint: string) {
  return invalid(`1 validation error detected: Value at '${path}' failed to satisfy constraint: ${constraint}`);
}

const jsonPointer: Check = (value, path) => {
  string({ min: 1, max: 256 })(value, path);
  if (/^(\/([^~/]|~[01])*)+$/.test(value as string)) return;
  throw invalid(
    `The value at ${servicePath(path)} is not a valid JSON Pointer. Provide a valid JSON Pointer and try again.`,
  );
};

const promptVariables: Check = (value, path) => {
  if (!isObject(value)) throw unreadable('Expected null');
  for (const [key, member] of Object.entries(value))
    union('PromptVariableValues', { text: string() })(member, `${path}.${key}`);
};

const toolSpec = object(
  { name: toolName, inputSchema: union('ToolInputSchema', { json: jsonObject }) },
  { description: string({ min: 1 }), strict: boolean },
);
const toolConfig = object(
  {
    tools: arrayOf(union('Tool', { toolSpec, systemTool: object({ name: toolName }), cachePoint }), {
      min: 1,
    }),
  },
  {
    toolChoice: union('ToolChoice', { auto: object({}), any: object({}), tool: object({ name: toolName }) }),
  },
);

const outputConfig = object(
  {},
  {
    textFormat: object({
      type: oneOf('json_schema'),
      structure: union('OutputFormatStructure', {
        jsonSchema: object({ schema: string() }, { name: string(), description: string() }),
      }),
    }),
    effort: string(),
  },
);

const common = {
  // The newest API also lists the role `system`. Few models accept it, so it is refused here.
  messages: arrayOf(object({ role: oneOf('user', 'assistant'), content: arrayOf(contentBlock) })),
  system: arrayOf(systemBlock),
  inferenceConfig: object(
    {},
    {
      maxTokens: integer(1),
      temperature: decimal(0, 1),
      topP: decimal(0, 1),
      stopSequences: arrayOf(string({ min: 1 }), { max: 2500 }),
    },
  ),
  toolConfig,
  additionalModelRequestFields: jsonObject,
  promptVariables,
  additionalModelResponseFieldPaths: arrayOf(jsonPointer, { max: 10 }),
  requestMetadata,
  performanceConfig: object({}, { latency: oneOf('standard', 'optimized') }),
  serviceTier: object({ type: oneOf('priority', 'default', 'flex', 'reserved') }),
  outputConfig,
};

/** ConverseTokensRequest of the SDK. */
const countedFields = {
  messages: common.messages,
  system: common.system,
  toolConfig,
  additionalModelRequestFields: jsonObject,
};
const countFields = object({
  input: union('CountTokensInput', {
    converse: object({}, countedFields),
    invokeModel: object({ body: blob }),
  }),
});

const fields = object({}, { ...common, guardrailConfig: object({}, guardrail) });
const streamFields = object(
  {},
  {
    ...common,
    guardrailConfig: object({}, { ...guardrail, streamProcessingMode: oneOf('sync', 'async') }),
  },
);
