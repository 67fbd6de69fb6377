// Writes one attempt's request (SDK type `ResponseCreateParams` of the package openai) from a conversation. Nothing is
// stored: the conversation is whole in each request.
import { writeJson } from '../../../common/exact-json.ts';
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { emulateTurns } from '../../conversation/emulated-turns.ts';
import { isGiven, readEffort } from '../../conversation/options.ts';
import type { ResponseFormat } from '../../conversation/output-mode.ts';
import type { ToolChoice, ToolDefinition, Tools } from '../../conversation/tools.ts';
import { commonHeaders, type TranslatedCall, type WrittenRequest } from '../format.ts';
import { fieldRules, type ReadBy, readBy, scalars } from './fields.ts';
import { writeInput } from './write-input.ts';

/** @throws GatewayError invalid_request, unsupported_parameter */
export function writeResponsesRequest(call: TranslatedCall): WrittenRequest {
  const { request, model, capabilities } = call;
  const unmapped = fieldRules.dropped(request, call);
  const options = fieldRules.taken(request, call);
  const { conversation, emulated } = emulateTurns(request.conversation(), {
    systemInPlace: true,
    inResult: (part) => capabilities.mediaInResults && part.kind !== 'audio',
    madeImages: false,
  });
  const body = {
    model,
    ...writeInput(conversation),
    ...Object.fromEntries(scalars.map(({ name, read }) => [name, read(options)])),
    ...toolFields(request.tools()),
    reasoning: reasoning(readBy(options, 'reasoning'), capabilities),
    text: textFields(readBy(options, 'text'), request.responseFormat()),
    store: false,
    stream: request.stream || undefined,
  };
  return {
    headers: commonHeaders(request.stream),
    body: writeJson(body),
    dropped: [
      ...unmapped,
      ...request.cacheMarks(),
      ...request.citations(),
      ...request.inMessages(['messages.audio', 'messages.extra_content', 'messages.thinking_blocks']),
    ],
    ...(emulated.length > 0 && { emulated }),
  };
}

function toolFields({ definitions, choice, parallel }: Tools): JsonObject {
  if (definitions.length === 0) return {};
  return {
    tools: definitions.map(tool),
    tool_choice: toolChoice(choice),
    parallel_tool_calls: parallel,
  };
}

/** Without `strict`, this API takes a schema as strict. */
function tool({ name, description, parameters, strict = false }: ToolDefinition): JsonObject {
  const schema = parameters ?? { type: 'object', properties: {} };
  return { type: 'function', name, description, parameters: schema, strict };
}

function toolChoice(choice: ToolChoice): unknown {
  switch (choice.kind) {
    case 'default':
      return undefined;
    case 'auto':
    case 'none':
    case 'required':
      return choice.kind;
    case 'named':
      return { type: 'function', name: choice.name };
    case 'allowed':
      if (choice.names.length === 0) return 'none';
      return {
        type: 'allowed_tools',
        mode: choice.mode,
        tools: choice.names.map((name) => ({ type: 'function', name })),
      };
  }
}

function reasoning(options: ReadBy<'reasoning'>, capabilities: ModelCapabilities): JsonObject | undefined {
  const effort = readEffort(options);
  if (effort === undefined || capabilities.reasoning === 'none') return undefined;
  if (effort === 'max' || effort === 'xhigh') return { effort: capabilities.effortXhigh ? 'xhigh' : 'high' };
  return { effort };
}

/** SDK type `ResponseTextConfig`. */
function textFields({ verbosity }: ReadBy<'text'>, format: ResponseFormat): JsonObject | undefined {
  if (format.kind === 'text' && !isGiven(verbosity)) return undefined;
  return {
    ...(format.kind !== 'text' && { format: formatField(format) }),
    ...(isGiven(verbosity) && { verbosity }),
  };
}

function formatField(format: Exclude<ResponseFormat, { kind: 'text' }>): JsonObject {
  if (format.kind === 'json') return { type: 'json_object' };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', name, description, schema, strict };
}
