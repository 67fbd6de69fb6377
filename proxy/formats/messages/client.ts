// The Messages API as clients use it.
import type { JsonObject } from '../../../common/json.ts';
import { messagesRequestLocations } from '../../../guardrails/inspection/messages-schema.ts';
import type { ClientTranslation, DearField } from '../client-format.ts';
import { claudeFields, longPrompts } from '../dear-fields.ts';
import { ownToolsOf } from './own-tools.ts';
import { readMessagesRequest } from './read-request.ts';
import { messagesReasoning } from './vendor-reasoning.ts';
import { writeMessagesResponse } from './write-response.ts';
import { MessagesWriter } from './write-stream.ts';

/** SDK headers that a vendor of the format must not get: they name a workspace, or allow keys in browsers. */
const keptHeader = /^anthropic-(?:workspace-id$|dangerous-)/;

export const messagesClients: ClientTranslation = {
  name: 'messages',
  streamType: 'text/event-stream',
  lacksFailures: true,
  vendorReasoning: messagesReasoning,
  requestLocations: messagesRequestLocations,
  forwardsHeader: (name) => name.startsWith('anthropic-') && !keptHeader.test(name),
  readRequest: readMessagesRequest,
  dearFields,
  ownTools: ownToolsOf,
  fieldOf: (field) => fields.get(field) ?? field,
  writeCount: (inputTokens) => ({ input_tokens: inputTokens }),
  writeResponse: writeMessagesResponse,
  openWriter: () => new MessagesWriter(),
};

const betaHeader = 'anthropic-beta';

function dearFields(body: JsonObject, headers: readonly string[] = []): readonly DearField[] {
  const betas = headers.filter((_value, index) => index % 2 === 1 && headers[index - 1] === betaHeader);
  return [...claudeFields(body), ...longPrompts(betas.join(','), betaHeader)];
}

/** The client's fields by those of chat completions, where the names differ. */
const fields: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['messages.cache_control', 'messages.content.cache_control'],
  ['messages.citations', 'messages.content.citations'],
  ['messages.file.filename', 'messages.content.title'],
  ['messages.thinking_blocks', 'messages.content.thinking'],
  ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
  ['reasoning_effort', 'output_config.effort'],
  ['response_format', 'output_config.format'],
  ['response_format.schema', 'output_config.format.schema'],
  ['stop', 'stop_sequences'],
  ['tools.parameters', 'tools.input_schema'],
  ['user', 'metadata.user_id'],
]);
