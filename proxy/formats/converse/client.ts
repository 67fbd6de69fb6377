// Converse as clients use it.

import { isObject, type JsonObject } from '../../../common/json.ts';
import { converseRequestLocations } from '../../../guardrails/inspection/converse-schema.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ClientTranslation, DearField } from '../client-format.ts';
import { claudeFields, tierField } from '../dear-fields.ts';
import { readConverseClientRequest } from './client-request.ts';
import { writeConverseResponse } from './client-response.ts';
import { ConverseWriter } from './client-stream.ts';
import { ownToolsOf } from './own-tools.ts';
import { converseReasoning } from './vendor-reasoning.ts';
import { streamType } from './write-request.ts';

/** @param invoke reads the body of an InvokeModel request whose tokens are counted */
export function converseClients(invoke: ClientTranslation): ClientTranslation {
  return {
    name: 'converse',
    streamType,
    vendorReasoning: converseReasoning,
    requestLocations: converseRequestLocations,
    forwardsHeader: () => false,
    readRequest: (body, path) => readConverseClientRequest(body, path, invoke),
    dearFields,
    ownTools: ownToolsOf,
    fieldOf: (field) => fields.get(field) ?? field,
    writeCount: (inputTokens) => ({ inputTokens }),
    writeResponse: (message, _request, elapsedMs) => writeConverseResponse(message, elapsedMs),
    openWriter: (_request, elapsedMs) => new ConverseWriter(elapsedMs),
  };
}

function dearFields(body: JsonObject): readonly DearField[] {
  const { performanceConfig, serviceTier, additionalModelRequestFields: extra } = body;
  const latency = isObject(performanceConfig) ? performanceConfig.latency : undefined;
  return [
    ...(isGiven(latency) && latency !== 'standard'
      ? [{ at: 'performanceConfig', ...(latency === 'optimized' && { tier: 'optimized' as const }) }]
      : []),
    ...(isObject(serviceTier) && serviceTier.type === 'reserved' ? [{ at: 'serviceTier' }] : []),
    ...(isObject(extra) ? extraFields(extra) : []),
  ];
}

/** Fields of families of models. Their prices at this vendor are not known. */
function extraFields(extra: JsonObject): readonly DearField[] {
  const options = [...claudeFields(extra), ...tierField(extra.service_tier, 'service_tier')];
  const limits = Object.keys(extra).filter((name) => isGiven(extra[name]) && isLimit(name, extra));
  return [
    ...options.map(({ at, tier: _tier, region: _region, ...kind }) => ({ at: below(at), ...kind })),
    ...limits.map((name) => ({ at: below(name), isLimit: true as const })),
  ];
}

function below(name: string): string {
  return `additionalModelRequestFields.${name}`;
}

/** Fields that let a response become longer than the reserved limit. */
const limits: ReadonlySet<string> = new Set(['max_tokens', 'num_generations', 'n']);

function isLimit(name: string, { inferenceConfig }: JsonObject): boolean {
  if (name !== 'inferenceConfig') return limits.has(name);
  return isObject(inferenceConfig) && Object.keys(inferenceConfig).some((one) => one !== 'topK');
}

/** The client's fields by those of chat completions, where the names differ. */
const fields: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'inferenceConfig.maxTokens'],
  ['max_tokens', 'inferenceConfig.maxTokens'],
  ['messages.cache_control', 'messages.content.cachePoint'],
  ['messages.citations', 'messages.content.document.citations'],
  ['messages.file.filename', 'messages.content.document.name'],
  ['messages.images', 'messages.content.image'],
  ['messages.thinking_blocks', 'messages.content.reasoningContent'],
  ['model', 'modelId'],
  ['parallel_tool_calls', 'additionalModelRequestFields.tool_choice'],
  ['reasoning_effort', 'additionalModelRequestFields.reasoning_effort'],
  ['response_format', 'outputConfig.textFormat'],
  ['response_format.schema', 'outputConfig.textFormat'],
  ['service_tier', 'serviceTier'],
  ['stop', 'inferenceConfig.stopSequences'],
  ['temperature', 'inferenceConfig.temperature'],
  ['thinking', 'additionalModelRequestFields.thinking'],
  ['tool_choice', 'toolConfig.toolChoice'],
  ['tools', 'toolConfig.tools'],
  ['tools.cache_control', 'toolConfig.tools.cachePoint'],
  ['tools.parameters', 'toolConfig.tools.toolSpec.inputSchema'],
  ['tools.strict', 'toolConfig.tools.toolSpec.strict'],
  ['top_k', 'additionalModelRequestFields.top_k'],
  ['top_p', 'inferenceConfig.topP'],
]);
