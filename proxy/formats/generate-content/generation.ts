// Writes how the response is generated (SDK type `GenerationConfig`): the request's scalar fields, and fields that
// follow from its other parts.
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { OutputMode } from '../../conversation/output-mode.ts';
import type { Part } from '../../conversation/parts.ts';
import type { OptionFields } from '../../conversation/request.ts';
import type { ThinkingConfig } from '../../models/gemini/thinking.ts';
import { configScalars } from './fields.ts';

export interface GenerationContext {
  readonly conversation: Conversation;
  readonly form: OutputMode;
  readonly thinking: ThinkingConfig | undefined;
  readonly capabilities: ModelCapabilities;
}

/**
 * @param options only options that this model accepts
 * @returns undefined if the request sets no such option
 * @throws GatewayError invalid_request
 */
export function generationConfig(options: OptionFields, context: GenerationContext): JsonObject | undefined {
  const { conversation, form, thinking, capabilities } = context;
  const config: JsonObject = {};
  const set = (name: string, value: unknown) => {
    if (value !== undefined) config[name] = value;
  };
  for (const { name, read } of configScalars) set(name, read(options));
  set('mediaResolution', mediaResolution(conversation));
  Object.assign(config, outputFields(form, capabilities));
  set('thinkingConfig', thinking);
  return Object.keys(config).length > 0 ? config : undefined;
}

/** One value for all images: high if any image requests it, low if all do. */
function mediaResolution({ turns }: Conversation): string | undefined {
  const parts = turns.flatMap((turn): readonly Part[] => {
    if (turn.role === 'tool') return turn.results.flatMap((result) => result.parts);
    return turn.role === 'user' ? turn.parts : [];
  });
  const details = parts.flatMap((part) => (part.kind === 'image' ? [part.detail] : []));
  if (details.includes('high')) return 'MEDIA_RESOLUTION_HIGH';
  const isLow = details.length > 0 && details.every((detail) => detail === 'low');
  return isLow ? 'MEDIA_RESOLUTION_LOW' : undefined;
}

function outputFields(form: OutputMode, { schemaLanguage }: ModelCapabilities): JsonObject {
  switch (form.kind) {
    case 'json':
      return { responseMimeType: 'application/json' };
    case 'native':
      return {
        responseMimeType: 'application/json',
        [schemaLanguage === 'openapi' ? 'responseSchema' : 'responseJsonSchema']: form.schema,
      };
    default:
      return {};
  }
}
