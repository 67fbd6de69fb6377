// Every event of the SDKs' unions is one that the gateway writes, or has the reason why not: a new member
// of a union does not compile here.
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../../../common/json.ts';
import type { FinishReason } from '../../../../proxy/conversation/response.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import { LossList } from '../../../../proxy/formats/client-losses.ts';
import type { StreamWriter } from '../../../../proxy/formats/format.ts';
import { MessagesWriter } from '../../../../proxy/formats/messages/write-stream.ts';
import { responsesClients } from '../../../../proxy/formats/responses/client.ts';
import { writeResponsesStreamError } from '../../../../proxy/formats/responses/write-error.ts';
import { ResponsesWriter } from '../../../../proxy/formats/responses/write-stream.ts';

type Why = 'written' | 'tools that the vendor runs' | 'sound' | 'stored responses' | 'raw reasoning' | 'citations';

const messagesEvents: Readonly<Record<Anthropic.RawMessageStreamEvent['type'], Why>> = {
  message_start: 'written',
  message_delta: 'written',
  message_stop: 'written',
  content_block_start: 'written',
  content_block_delta: 'written',
  content_block_stop: 'written',
};
const messagesDeltas: Readonly<Record<Anthropic.RawContentBlockDelta['type'], Why>> = {
  text_delta: 'written',
  input_json_delta: 'written',
  citations_delta: 'citations',
  thinking_delta: 'written',
  signature_delta: 'written',
};
const responsesEvents: Readonly<Record<OpenAI.Responses.ResponseStreamEvent['type'], Why>> = {
  'response.audio.delta': 'sound',
  'response.audio.done': 'sound',
  'response.audio.transcript.delta': 'sound',
  'response.audio.transcript.done': 'sound',
  'response.code_interpreter_call_code.delta': 'tools that the vendor runs',
  'response.code_interpreter_call_code.done': 'tools that the vendor runs',
  'response.code_interpreter_call.completed': 'tools that the vendor runs',
  'response.code_interpreter_call.in_progress': 'tools that the vendor runs',
  'response.code_interpreter_call.interpreting': 'tools that the vendor runs',
  'response.compaction.compacting': 'stored responses',
  'response.completed': 'written',
  'response.content_part.added': 'written',
  'response.content_part.done': 'written',
  'response.created': 'written',
  error: 'written',
  'response.file_search_call.completed': 'tools that the vendor runs',
  'response.file_search_call.in_progress': 'tools that the vendor runs',
  'response.file_search_call.searching': 'tools that the vendor runs',
  'response.function_call_arguments.delta': 'written',
  'response.function_call_arguments.done': 'written',
  'response.shell_call_command.added': 'tools that the vendor runs',
  'response.shell_call_command.delta': 'tools that the vendor runs',
  'response.shell_call_command.done': 'tools that the vendor runs',
  'response.shell_call_output_content.delta': 'tools that the vendor runs',
  'response.shell_call_output_content.done': 'tools that the vendor runs',
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
  'response.web_search_call.completed': 'tools that the vendor runs',
  'response.web_search_call.in_progress': 'tools that the vendor runs',
  'response.web_search_call.searching': 'tools that the vendor runs',
  'response.image_generation_call.completed': 'tools that the vendor runs',
  'response.image_generation_call.generating': 'tools that the vendor runs',
  'response.image_generation_call.in_progress': 'tools that the vendor runs',
  'response.image_generation_call.partial_image': 'tools that the vendor runs',
  'response.mcp_call_arguments.delta': 'tools that the vendor runs',
  'response.mcp_call_arguments.done': 'tools that the vendor runs',
  'response.mcp_call.completed': 'tools that the vendor runs',
  'response.mcp_call.failed': 'tools that the vendor runs',
  'response.mcp_call.in_progress': 'tools that the vendor runs',
  'response.mcp_list_tools.completed': 'tools that the vendor runs',
  'response.mcp_list_tools.failed': 'tools that the vendor runs',
  'response.mcp_list_tools.in_progress': 'tools that the vendor runs',
  'response.output_text.annotation.added': 'citations',
  'response.queued': 'stored responses',
  'response.custom_tool_call_input.delta': 'written',
  'response.custom_tool_call_input.done': 'written',
};

const writtenOf = (events: Readonly<Record<string, Why>>) =>
  Object.keys(events)
    .filter((name) => events[name] === 'written')
    .sort();

/** A response with everything that a client may get, in the order in which models write it. */
function everything(writer: StreamWriter, reason: FinishReason): string {
  writer.start({ id: 'chatcmpl-1', created: 1, model: 'm' });
  writer.reasoning('Hm.');
  writer.thought?.({ type: 'thinking', thinking: 'Hm.', signature: 'sig' });
  writer.content('Hi');
  writer.extra({ refusal: 'No.' });
  writer.call('call_1', 'weather', '{}');
  writer.call('call_2', 'patch', '{"input":"a"}');
  writer.finish({ reason, native: undefined });
  writer.end(noUsage);
  return writer.take().toString();
}

function eventsIn(stream: string): readonly JsonObject[] {
  return stream.split('\n\n').flatMap((event) => {
    const fields = parseJson(/^data: (.*)$/m.exec(event)?.[1] ?? '');
    return isObject(fields) ? [fields] : [];
  });
}

const typesOf = (events: readonly unknown[]) =>
  [...new Set(events.map((event) => (isObject(event) ? String(event.type) : '')))].filter((type) => type !== '').sort();

describe('the events that clients get', () => {
  it('are those of the Messages API', () => {
    const events = eventsIn(everything(new MessagesWriter(), 'tool_calls'));
    expect(typesOf(events)).toEqual(writtenOf(messagesEvents));
    const deltas = events.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta);
    expect(typesOf(deltas)).toEqual(writtenOf(messagesDeltas));
  });

  it('are those of the Responses API', () => {
    const body = { model: 'm', input: 'Hello', tools: [{ type: 'custom', name: 'patch' }] };
    const path = { model: undefined, stream: undefined };
    const request = { translation: responsesClients, body, bytes: undefined, path, headers: [], origins: [] };
    const streams = (['tool_calls', 'length', 'error'] as const).map((reason) =>
      everything(new ResponsesWriter({ ...request, losses: new LossList() }), reason),
    );
    const error = { status: 502, message: 'a', param: undefined, code: undefined };
    const soFar = { path, first: Buffer.from(streams.join('')), last: undefined };
    const events = [...streams, writeResponsesStreamError(error, soFar)].flatMap(eventsIn);
    expect(typesOf(events)).toEqual(writtenOf(responsesEvents));
  });
});
