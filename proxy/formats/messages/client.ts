// The Messages API as clients use it.
import type { JsonObject } from '../../../common/json.ts';
import { messagesRequestLocations } from '../../../guardrails/inspection/messages-schema.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientTranslation, DearField } from '../client-format.ts';
import { ownToolsOf } from './own-tools.ts';
import { readMessagesRequest } from './read-request.ts';
import { writeMessagesResponse } from './write-response.ts';
import { MessagesWriter } from './write-stream.ts';

/** SDK headers that a vendor of the format must not get: they name a workspace, or allow keys in browsers. */
const keptHeader = /^anthropic-(?:workspace-id$|dangerous-)/;

export const messagesClients: ClientTranslation = {
  name: 'messages',
  streamType: 'text/event-stream',
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

function dearFields({ speed, inference_geo: region }: JsonObject): readonly DearField[] {
  return [
    ...(isGiven(speed) && speed !== 'standard'
      ? [{ at: 'speed', ...(speed === 'fast' && { tier: 'fast' as const }) }]
      : []),
    ...(isGiven(region) && region !== 'global' ? [{ at: 'inference_geo', region: String(region) }] : []),
  ];
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
