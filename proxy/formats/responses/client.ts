// The Responses API as clients use it.
import { responsesRequestLocations } from '../../../guardrails/inspection/responses-schema.ts';
import type { ClientTranslation } from '../client-format.ts';
import { ownToolsOf } from './own-tools.ts';
import { readResponsesRequest } from './read-request.ts';
import { responsesReasoning } from './vendor-reasoning.ts';
import { writeResponsesResponse } from './write-response.ts';
import { ResponsesWriter } from './write-stream.ts';

export const responsesClients: ClientTranslation = {
  name: 'responses',
  streamType: 'text/event-stream',
  wrapsThinking: true,
  vendorReasoning: responsesReasoning,
  requestLocations: responsesRequestLocations,
  forwardsHeader: (name) => name === 'openai-beta',
  readRequest: readResponsesRequest,
  dearFields: () => [],
  ownTools: ownToolsOf,
  fieldOf,
  writeCount: (inputTokens) => ({ object: 'response.input_tokens', input_tokens: inputTokens }),
  writeResponse: writeResponsesResponse,
  openWriter: (request) => new ResponsesWriter(request),
};

/** The client's fields by those of chat completions, where the names differ. */
const fields: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_output_tokens'],
  ['max_tokens', 'max_output_tokens'],
  ['logprobs', 'top_logprobs'],
  ['reasoning_effort', 'reasoning.effort'],
  ['response_format', 'text.format'],
  ['response_format.schema', 'text.format.schema'],
  ['response_format.json_schema', 'text.format'],
  ['response_format.json_schema.schema', 'text.format.schema'],
  ['verbosity', 'text.verbosity'],
  ['messages.file.filename', 'input.content.filename'],
  ['messages.image_url.detail', 'input.content.detail'],
  ['messages.thinking_blocks', 'input.reasoning'],
]);

function fieldOf(field: string): string {
  return fields.get(field) ?? field.replace(/^messages(?=\.|$)/, 'input').replace(/^(tools\[\d+\])\.function\b/, '$1');
}
