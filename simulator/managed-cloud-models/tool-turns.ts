// Tool calls in the history and their results. The next message must contain the results of all calls of a turn.
import { isObject } from '../checks.ts';
import { invalid, modelRefuses, unsupportedField } from './refusal.ts';
import { blocksOf, blocksOfKind, type ConverseRequest, type Message } from './request.ts';

export function toolsAreDeclared(request: ConverseRequest): void {
  if (request.body.toolConfig !== undefined) return;
  for (const { kind } of blocksOf(request)) {
    if (kind !== 'toolUse' && kind !== 'toolResult') continue;
    throw invalid('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  }
}

export function resultsFollowCalls({ messages }: ConverseRequest): void {
  let calls: readonly string[] = [];
  for (const [at, message] of messages.entries()) {
    const results = idsOf(message, 'toolResult');
    const missing = calls.filter((id) => !results.includes(id));
    if (missing.length > 0) throw withoutResult(missing, at);
    if (results.length > calls.length) {
      throw invalid(
        `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`,
      );
    }
    calls = idsOf(message, 'toolUse');
    const twice = calls.find((id, index) => calls.indexOf(id) !== index);
    if (twice !== undefined) {
      throw invalid(`The toolUse blocks at messages.${at}.content contain duplicate Ids: ${twice}`);
    }
  }
  if (calls.length > 0) throw withoutResult(calls, messages.length);
}

function withoutResult(ids: readonly string[], at: number) {
  return invalid(`Expected toolResult blocks at messages.${at}.content for the following Ids: ${ids.join(', ')}`);
}

/** Checks the content of results, their position in the turn, and the ids that the model's family accepts. */
export function resultsFit(request: ConverseRequest): void {
  for (const { kind, value, path } of blocksOf(request)) {
    if (kind !== 'toolResult' || !isObject(value)) continue;
    if (value.status !== undefined && !['claude', 'nova'].includes(request.model.family)) {
      throw unsupportedField('status');
    }
    if (value.status === 'error' && Array.isArray(value.content) && value.content.length === 0) {
      throw invalid(`The content field at ${path}.toolResult cannot be empty when status value is error.`);
    }
  }
  for (const [at, message] of request.messages.entries()) checkContent(request, message, at);
  checkIds(request);
}

function checkContent({ model }: ConverseRequest, { content }: Message, at: number): void {
  const kinds = content.map((block) => Object.keys(block)[0]).filter((kind) => kind !== 'cachePoint');
  const results = kinds.filter((kind) => kind === 'toolResult').length;
  if (results === 0 || results === kinds.length) return;
  if (!model.mixesResults) {
    throw invalid(
      `messages.${at}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.`,
    );
  }
  if (kinds.lastIndexOf('toolResult') < results) return;
  throw modelRefuses(
    `messages.${at}: Did not find ${results} \`tool_result\` block(s) at the beginning of this message. Messages following \`tool_use\` blocks must begin with a matching number of \`tool_result\` blocks.`,
  );
}

/** The service accepts more forms of ids than its models. */
function checkIds(request: ConverseRequest): void {
  const { family, toolUseId } = request.model;
  const met = new Set<string>();
  for (const { kind, value, path } of blocksOf(request)) {
    if (kind !== 'toolUse' || !isObject(value)) continue;
    const id = String(value.toolUseId);
    if (!toolUseId.test(id)) {
      throw modelRefuses(`${path}.tool_use.id: String should match pattern '${toolUseId.source}'`);
    }
    if (family === 'claude' && met.has(id)) throw modelRefuses(`${path}: \`tool_use\` ids must be unique`);
    met.add(id);
  }
}

function idsOf(message: Message, kind: string): readonly string[] {
  return blocksOfKind(message, kind).map(({ toolUseId }) => String(toolUseId));
}
