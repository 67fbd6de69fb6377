// Reasoning: the requests that enable it, fields that conflict with it, and checks of thoughts that the caller sends
// back. Thoughts are signed as the models' own maker signs them, who documents that signatures are valid wherever its
// models are served. A thought that the simulator did not issue is refused.
import { checkSignature, isIssuedData, redactedDataFor, signatureFor } from '../assistant-provider/signature.ts';
import { isObject, type Json } from '../checks.ts';
import type { SimulatedModel } from './models.ts';
import { malformedForModel, modelRefuses, unsupportedField } from './refusal.ts';
import {
  blocksOf,
  blocksOfKind,
  type ConverseRequest,
  effortOf,
  extraFieldsOf,
  inferenceOf,
  isForced,
  type PlacedBlock,
  toolChoiceOf,
} from './request.ts';

/** Signs a thought whose whole text is shown. */
export function signThought(text: string): string {
  return signatureFor(text, text);
}

/** Base64, opaque to the caller. */
export const redactedThought = redactedDataFor;

/** Whether the response begins with a thought. */
export function thinks(request: ConverseRequest): boolean {
  const { family, reasons } = request.model;
  const { thinking, reasoningConfig } = extraFieldsOf(request);
  if (isForced(toolChoiceOf(request))) return false;
  if (family === 'claude' && isObject(thinking)) return thinking.type !== 'disabled';
  if (family === 'nova') return isObject(reasoningConfig) && reasoningConfig.type === 'enabled';
  return reasons === 'always';
}

export function thinkingFits(request: ConverseRequest): void {
  const { family } = request.model;
  if (family === 'claude') claudeThinkingFits(request);
  else if (effortOf(request) !== undefined) throw unsupportedField('outputConfig.effort');
  if (family === 'nova') novaReasoningFits(request);
}

const guide = 'Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking';

function claudeThinkingFits(request: ConverseRequest): void {
  const { model } = request;
  const { thinking, top_k: topK } = extraFieldsOf(request);
  const kind = isObject(thinking) ? String(thinking.type) : undefined;
  if (kind !== undefined && !model.thinking.some((taken) => taken === kind)) throw wrongKind(model, kind);
  effortFits(request, kind);
  if (model.sampling === 'none' && topK !== undefined) throw modelRefuses('`top_k` is deprecated for this model.');
  if (kind === undefined || kind === 'disabled') return;
  const { maxTokens = model.outputTokensMax, temperature, topP } = inferenceOf(request);
  if (kind === 'enabled' && maxTokens <= Number((thinking as Json).budget_tokens)) {
    throw modelRefuses(
      `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${guide}#max-tokens-and-context-window-size`,
    );
  }
  if (temperature !== undefined && temperature !== 1) {
    throw modelRefuses(
      `\`temperature\` may only be set to 1 when thinking is enabled or in adaptive mode. ${guide}#important-considerations-when-using-extended-thinking`,
    );
  }
  if (topP !== undefined && topP < 0.95) {
    throw modelRefuses(
      '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode.',
    );
  }
  if (topK !== undefined) {
    throw modelRefuses('`top_k` must be unset when thinking is enabled or in adaptive mode.');
  }
  if (isForced(toolChoiceOf(request))) {
    throw modelRefuses('Thinking may not be enabled when tool_choice forces tool use.');
  }
}

function wrongKind({ thinking, efforts }: SimulatedModel, kind: string) {
  if (thinking.length === 0) return modelRefuses('thinking: Extra inputs are not permitted');
  if (kind === 'adaptive') return modelRefuses('adaptive thinking is not supported on this model');
  const instead =
    efforts.length > 0 ? ' Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.' : '';
  return modelRefuses(`"thinking.type.${kind}" is not supported for this model.${instead}`);
}

function effortFits(request: ConverseRequest, kind: string | undefined): void {
  const effort = effortOf(request);
  if (effort === undefined) return;
  const { efforts } = request.model;
  if (efforts.length === 0) throw modelRefuses('output_config.effort: Extra inputs are not permitted');
  if (!efforts.includes(effort)) {
    throw modelRefuses(`output_config.effort: Input should be ${efforts.map((one) => `'${one}'`).join(', ')}`);
  }
  if (kind === 'disabled' && (effort === 'xhigh' || effort === 'max')) {
    throw modelRefuses(`output_config.effort: '${effort}' is not supported when thinking is disabled`);
  }
}

function novaReasoningFits(request: ConverseRequest): void {
  const { reasoningConfig, inferenceConfig } = extraFieldsOf(request);
  if (!isObject(reasoningConfig)) return;
  if (request.model.reasons === undefined) throw malformedForModel('the provided reasoning config value is invalid');
  if (reasoningConfig.maxReasoningEffort !== 'high') return;
  const { maxTokens, temperature, topP } = inferenceOf(request);
  if ([maxTokens, temperature, topP, inferenceConfig].every((field) => field === undefined)) return;
  throw malformedForModel(
    'maxTokens, temperature, topP and topK must be unset when the maximum reasoning effort is high',
  );
}

export function reasoningIsOurs(request: ConverseRequest): void {
  for (const block of blocksOf(request)) {
    if (block.kind !== 'reasoningContent' || !isObject(block.value)) continue;
    if (request.model.reasons === undefined) throw unsupportedField('reasoningContent');
    if (request.model.family === 'claude') checkThought(block.value, block);
    else checkUnsigned(block.value);
  }
}

function checkThought({ reasoningText, redactedContent }: Json, { path }: PlacedBlock): void {
  if (typeof redactedContent === 'string') {
    if (isIssuedData(redactedContent)) return;
    throw modelRefuses(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
  }
  const { text, signature = '' } = reasoningText as Json;
  if (signature === '') throw modelRefuses(`${path}.thinking.signature: Field required`);
  if (checkSignature(String(signature), String(text)) !== 'issued') {
    throw modelRefuses(`${path}: Invalid \`signature\` in \`thinking\` block`);
  }
}

function checkUnsigned({ reasoningText, redactedContent }: Json): void {
  if (redactedContent !== undefined) throw unsupportedField('reasoningContent.redactedContent');
  if ((reasoningText as Json).signature !== undefined) {
    throw unsupportedField('reasoningContent.reasoningText.signature');
  }
}

/**
 * With a thinking budget, a response that called tools must be sent back with the thought that it began with. Calls
 * after tool results belong to the same response, and have no thought of their own.
 */
export function toolTurnsBeginThinking(request: ConverseRequest): void {
  const { thinking } = extraFieldsOf(request);
  if (!isObject(thinking) || thinking.type !== 'enabled') return;
  const { messages } = request;
  const query = messages.findLastIndex((one) => one.role === 'user' && blocksOfKind(one, 'toolResult').length === 0);
  const at = messages.findIndex(({ role }, index) => role === 'assistant' && index > query);
  const turn = messages[at];
  if (turn === undefined || blocksOfKind(turn, 'toolUse').length === 0) return;
  if (turn.content[0]?.reasoningContent !== undefined) return;
  const found = turn.content[0]?.text === undefined ? 'tool_use' : 'text';
  throw modelRefuses(
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. ${guide}`,
  );
}
