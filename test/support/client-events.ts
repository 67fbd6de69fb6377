// What the SDKs' unions of streams have, and whether the gateway writes it. Each table is complete by the SDK's types.
import type Anthropic from '@anthropic-ai/sdk';
import type {
  ContentBlockDelta,
  ContentBlockStart,
  StopReason as ConverseStopReason,
  ConverseStreamOutput,
  ReasoningContentBlockDelta,
} from '@aws-sdk/client-bedrock-runtime';
import type { FinishReason, GenerateContentResponse, Part } from '@google/genai';
import type OpenAI from 'openai';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';

export type Why =
  | 'written'
  | 'tools that the vendor runs'
  | 'sound'
  | 'stored responses'
  | 'raw reasoning'
  | 'citations'
  | 'deprecated'
  | 'of requests'
  | 'of the vendor’s own responses'
  | 'written as RECITATION is'
  | 'the gateway has another word';

export type Expected = Readonly<Record<string, Why>>;

export interface EventTable {
  readonly what: string;
  /** Name of the golden files. */
  readonly file: string;
  /** The members that an event has. */
  found(event: JsonObject): readonly string[];
  readonly expected: Expected;
}

/** The names of the members of a union of objects with one field each. */
type Members<Union> = Exclude<Union extends unknown ? keyof Union : never, '$unknown'>;
type Table<Name extends string> = Readonly<Record<Name, Why>>;
type OpenAIDelta = OpenAI.ChatCompletionChunk.Choice.Delta;
type Block = Anthropic.RawContentBlockStartEvent['content_block'];

const own = 'tools that the vendor runs';

const chatDeltas: Table<keyof OpenAIDelta> = {
  audio: 'sound',
  content: 'written',
  function_call: 'deprecated',
  refusal: 'written',
  role: 'written',
  tool_calls: 'written',
};
const chatReasons: Table<NonNullable<OpenAI.ChatCompletionChunk.Choice['finish_reason']> | 'error'> = {
  stop: 'written',
  length: 'written',
  tool_calls: 'written',
  content_filter: 'written',
  function_call: 'deprecated',
  error: 'written',
};
const messagesEvents: Table<Anthropic.RawMessageStreamEvent['type'] | 'error'> = {
  message_start: 'written',
  message_delta: 'written',
  message_stop: 'written',
  content_block_start: 'written',
  content_block_delta: 'written',
  content_block_stop: 'written',
  error: 'written',
};
/** A failure is a frame here. */
const invokeEvents: Table<Anthropic.RawMessageStreamEvent['type']> = {
  message_start: 'written',
  message_delta: 'written',
  message_stop: 'written',
  content_block_start: 'written',
  content_block_delta: 'written',
  content_block_stop: 'written',
};
const messagesDeltas: Table<Anthropic.RawContentBlockDelta['type']> = {
  text_delta: 'written',
  input_json_delta: 'written',
  citations_delta: 'citations',
  thinking_delta: 'written',
  signature_delta: 'written',
};
const messagesBlocks: Table<Block['type']> = {
  text: 'written',
  thinking: 'written',
  redacted_thinking: 'written',
  tool_use: 'written',
  server_tool_use: own,
  web_search_tool_result: own,
  web_fetch_tool_result: own,
  code_execution_tool_result: own,
  bash_code_execution_tool_result: own,
  text_editor_code_execution_tool_result: own,
  tool_search_tool_result: own,
  container_upload: own,
};
const messagesReasons: Table<Anthropic.StopReason> = {
  end_turn: 'written',
  max_tokens: 'written',
  stop_sequence: 'written',
  tool_use: 'written',
  pause_turn: 'written',
  refusal: 'written',
  model_context_window_exceeded: 'written',
};
const responsesEvents: Table<OpenAI.Responses.ResponseStreamEvent['type']> = {
  'response.audio.delta': 'sound',
  'response.audio.done': 'sound',
  'response.audio.transcript.delta': 'sound',
  'response.audio.transcript.done': 'sound',
  'response.code_interpreter_call_code.delta': own,
  'response.code_interpreter_call_code.done': own,
  'response.code_interpreter_call.completed': own,
  'response.code_interpreter_call.in_progress': own,
  'response.code_interpreter_call.interpreting': own,
  'response.compaction.compacting': 'stored responses',
  'response.completed': 'written',
  'response.content_part.added': 'written',
  'response.content_part.done': 'written',
  'response.created': 'written',
  error: 'written',
  'response.file_search_call.completed': own,
  'response.file_search_call.in_progress': own,
  'response.file_search_call.searching': own,
  'response.function_call_arguments.delta': 'written',
  'response.function_call_arguments.done': 'written',
  'response.shell_call_command.added': own,
  'response.shell_call_command.delta': own,
  'response.shell_call_command.done': own,
  'response.shell_call_output_content.delta': own,
  'response.shell_call_output_content.done': own,
  'response.in_progress': 'written',
  'response.failed': 'written',
  'response.incomplete': 'written',
  'response.output_item.added': 'written',
  'response.output_item.done': 'written',
  'response.reasoning_summary_part.added': 'written',
  'response.reasoning_summary_part.done': 'written',
  'response.reasoning_summary_text.delta': 'written',
  'response.reasoning_summary_text.done': 'written',
  'response.reasoning_text.delta': 'raw reasoning',
  'response.reasoning_text.done': 'raw reasoning',
  'response.refusal.delta': 'written',
  'response.refusal.done': 'written',
  'response.output_text.delta': 'written',
  'response.output_text.done': 'written',
  'response.web_search_call.completed': own,
  'response.web_search_call.in_progress': own,
  'response.web_search_call.searching': own,
  'response.image_generation_call.completed': own,
  'response.image_generation_call.generating': own,
  'response.image_generation_call.in_progress': own,
  'response.image_generation_call.partial_image': own,
  'response.mcp_call_arguments.delta': own,
  'response.mcp_call_arguments.done': own,
  'response.mcp_call.completed': own,
  'response.mcp_call.failed': own,
  'response.mcp_call.in_progress': own,
  'response.mcp_list_tools.completed': own,
  'response.mcp_list_tools.failed': own,
  'response.mcp_list_tools.in_progress': own,
  'response.output_text.annotation.added': 'citations',
  'response.queued': 'stored responses',
  'response.custom_tool_call_input.delta': 'written',
  'response.custom_tool_call_input.done': 'written',
};
const converseEvents: Table<Members<ConverseStreamOutput>> = {
  messageStart: 'written',
  contentBlockStart: 'written',
  contentBlockDelta: 'written',
  contentBlockStop: 'written',
  messageStop: 'written',
  metadata: 'written',
  internalServerException: 'written',
  modelStreamErrorException: 'written',
  throttlingException: 'written',
  serviceUnavailableException: 'the gateway has another word',
  validationException: 'the gateway has another word',
};
const converseStarts: Table<Members<ContentBlockStart>> = { image: 'written', toolUse: 'written', toolResult: own };
const converseDeltas: Table<Members<ContentBlockDelta>> = {
  text: 'written',
  toolUse: 'written',
  toolResult: own,
  reasoningContent: 'written',
  image: 'written',
  citation: 'citations',
};
const converseThoughts: Table<Members<ReasoningContentBlockDelta>> = {
  text: 'written',
  signature: 'written',
  redactedContent: 'written',
};
const converseReasons: Table<ConverseStopReason> = {
  content_filtered: 'written',
  end_turn: 'written',
  guardrail_intervened: 'written',
  malformed_model_output: 'written',
  malformed_tool_use: 'written',
  max_tokens: 'written',
  model_context_window_exceeded: 'written',
  stop_sequence: 'written',
  tool_use: 'written',
};
const generatedFields: Table<Exclude<keyof Data<GenerateContentResponse>, 'sdkHttpResponse'> | 'error'> = {
  automaticFunctionCallingHistory: 'of requests',
  candidates: 'written',
  createTime: 'of the vendor’s own responses',
  error: 'written',
  initialPromptTokenCount: 'of the vendor’s own responses',
  modelStatus: 'of the vendor’s own responses',
  modelVersion: 'written',
  promptFeedback: 'of the vendor’s own responses',
  responseId: 'written',
  usageMetadata: 'written',
};
/** Without what the SDK computes. */
type Data<Response> = Omit<Response, 'text' | 'data' | 'functionCalls' | 'executableCode' | 'codeExecutionResult'>;

const generatedParts: Table<keyof Part> = {
  audioTranscription: 'sound',
  codeExecutionResult: own,
  executableCode: own,
  fileData: 'of requests',
  functionCall: 'written',
  functionResponse: 'of requests',
  inlineData: 'written',
  mediaProcessing: 'of requests',
  mediaResolution: 'of requests',
  partMetadata: 'of requests',
  speechMetadata: 'sound',
  text: 'written',
  thought: 'written',
  thoughtSignature: 'written',
  toolCall: own,
  toolResponse: own,
  videoMetadata: 'of requests',
};
const generatedReasons: Table<`${FinishReason}`> = {
  ...{ STOP: 'written', MAX_TOKENS: 'written', SAFETY: 'written', OTHER: 'written' },
  ...{ RECITATION: 'written', MALFORMED_FUNCTION_CALL: 'written' },
  ...{ FINISH_REASON_UNSPECIFIED: 'the gateway has another word', CONTINUATION: 'the gateway has another word' },
  LANGUAGE: 'written as RECITATION is',
  BLOCKLIST: 'written as RECITATION is',
  PROHIBITED_CONTENT: 'written as RECITATION is',
  SPII: 'written as RECITATION is',
  IMAGE_SAFETY: 'written as RECITATION is',
  IMAGE_PROHIBITED_CONTENT: 'written as RECITATION is',
  IMAGE_RECITATION: 'written as RECITATION is',
  IMAGE_OTHER: 'written as RECITATION is',
  NO_IMAGE: 'written as RECITATION is',
  UNEXPECTED_TOOL_CALL: 'written as RECITATION is',
  TOO_MANY_TOOL_CALLS: 'written as RECITATION is',
  MALFORMED_RESPONSE: 'written as RECITATION is',
};

const typeOf = ({ type }: JsonObject) => (typeof type === 'string' ? [type] : []);
const keysOf = (value: unknown) => (isObject(value) ? Object.keys(value).filter((name) => value[name] !== null) : []);
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inner: unknown, name) => (isObject(inner) ? inner[name] : undefined), value);
const textAt = (value: unknown, ...path: readonly string[]) => {
  const text = at(value, ...path);
  return typeof text === 'string' ? [text] : [];
};
const choicesOf = ({ choices }: JsonObject) => objectsOf(choices);
const candidatesOf = ({ candidates }: JsonObject) => objectsOf(candidates);
/** Frames are written as an object with one member, an exception with its type inside. */
const frameTypes = (event: JsonObject) => (isObject(event.exception) ? keysOf(event.exception) : keysOf(event));
/** Further fields of a delta that other gateways have too, or that come from one vendor. */
const extensions: ReadonlySet<string> = new Set([
  ...['reasoning_content', 'thinking_blocks', 'annotations', 'images', 'extra_content'],
]);

export const eventTables: readonly EventTable[] = [
  {
    ...{ what: 'field of a delta', file: 'chat-completions.sse', expected: chatDeltas },
    found: (event) => choicesOf(event).flatMap(({ delta }) => keysOf(delta).filter((name) => !extensions.has(name))),
  },
  {
    ...{ what: 'reason of an end', file: 'chat-completions.sse', expected: chatReasons },
    found: (event) => choicesOf(event).flatMap((choice) => textAt(choice, 'finish_reason')),
  },
  { what: 'event', file: 'messages.sse', expected: messagesEvents, found: typeOf },
  {
    ...{ what: 'delta', file: 'messages.sse', expected: messagesDeltas },
    found: ({ type, delta }) => (type === 'content_block_delta' ? textAt(delta, 'type') : []),
  },
  {
    ...{ what: 'block', file: 'messages.sse', expected: messagesBlocks },
    found: (event) => textAt(event, 'content_block', 'type'),
  },
  {
    ...{ what: 'reason of an end', file: 'messages.sse', expected: messagesReasons },
    found: (event) => textAt(event, 'delta', 'stop_reason'),
  },
  {
    ...{ what: 'event of the Messages API', file: 'invoke.jsonl', expected: invokeEvents },
    found: (event) => textAt(event, 'chunk', 'type'),
  },
  { what: 'event', file: 'responses.sse', expected: responsesEvents, found: typeOf },
  { what: 'event', file: 'converse.jsonl', expected: converseEvents, found: frameTypes },
  {
    ...{ what: 'start of a block', file: 'converse.jsonl', expected: converseStarts },
    found: (event) => keysOf(at(event, 'contentBlockStart', 'start')),
  },
  {
    ...{ what: 'delta', file: 'converse.jsonl', expected: converseDeltas },
    found: (event) => keysOf(at(event, 'contentBlockDelta', 'delta')),
  },
  {
    ...{ what: 'delta of reasoning', file: 'converse.jsonl', expected: converseThoughts },
    found: (event) => keysOf(at(event, 'contentBlockDelta', 'delta', 'reasoningContent')),
  },
  {
    ...{ what: 'reason of an end', file: 'converse.jsonl', expected: converseReasons },
    found: (event) => textAt(event, 'messageStop', 'stopReason'),
  },
  ...['generate-content.sse', 'generate-content.json'].flatMap((file): readonly EventTable[] => [
    { what: 'field of a piece', file, expected: generatedFields, found: keysOf },
    {
      ...{ what: 'field of a part', file, expected: generatedParts },
      found: (event) =>
        candidatesOf(event).flatMap((one) => objectsOf(at(one, 'content', 'parts')).flatMap((part) => keysOf(part))),
    },
    {
      ...{ what: 'reason of an end', file, expected: generatedReasons },
      found: (event) => candidatesOf(event).flatMap((one) => textAt(one, 'finishReason')),
    },
  ]),
];
