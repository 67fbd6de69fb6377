// generateContent as clients use it.
import { generateContentRequestLocations } from '../../../guardrails/inspection/generate-content-schema.ts';
import type { ClientTranslation } from '../client-format.ts';
import { ownToolsOf } from './client-own-tools.ts';
import { readClientRequest } from './client-request.ts';
import { writeClientResponse } from './client-response.ts';
import { ClientStreamWriter } from './client-stream.ts';
import { generateContentReasoning } from './vendor-reasoning.ts';

export const generateContentClients: ClientTranslation = {
  name: 'generate_content',
  streamType: 'text/event-stream',
  wrapsThinking: true,
  vendorReasoning: generateContentReasoning,
  requestLocations: generateContentRequestLocations,
  forwardsHeader: () => false,
  readRequest: readClientRequest,
  dearFields: () => [],
  ownTools: ownToolsOf,
  fieldOf: (field) => fields.get(field) ?? field,
  writeCount: (inputTokens) => ({ totalTokens: inputTokens }),
  writeResponse: writeClientResponse,
  openWriter: ({ path }) => new ClientStreamWriter(path),
};

/** The client's fields by those of chat completions, where the names differ. */
const fields: ReadonlyMap<string, string> = new Map([
  ['frequency_penalty', 'generationConfig.frequencyPenalty'],
  ['max_completion_tokens', 'generationConfig.maxOutputTokens'],
  ['max_tokens', 'generationConfig.maxOutputTokens'],
  ['messages', 'contents'],
  ['messages.content', 'contents.parts'],
  ['messages.extra_content', 'contents.parts.thoughtSignature'],
  ['messages.file.filename', 'contents.parts.inlineData.displayName'],
  ['messages.images', 'contents.parts'],
  ['messages.thinking_blocks', 'contents.parts.thought'],
  ['n', 'generationConfig.candidateCount'],
  ['presence_penalty', 'generationConfig.presencePenalty'],
  ['reasoning_effort', 'generationConfig.thinkingConfig'],
  ['response_format', 'generationConfig.responseSchema'],
  ['response_format.json_schema.schema', 'generationConfig.responseSchema'],
  ['response_format.schema', 'generationConfig.responseSchema'],
  ['safety_settings', 'safetySettings'],
  ['seed', 'generationConfig.seed'],
  ['service_tier', 'serviceTier'],
  ['stop', 'generationConfig.stopSequences'],
  ['temperature', 'generationConfig.temperature'],
  ['tool_choice', 'toolConfig.functionCallingConfig'],
  ['tools.parameters', 'tools.functionDeclarations.parameters'],
  ['top_k', 'generationConfig.topK'],
  ['top_p', 'generationConfig.topP'],
]);
