// Reads the messages of a client's request (SDK type `Message`) into messages of chat completions.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ChatTurn } from '../client-format.ts';
import type { LossList } from '../client-losses.ts';
import { blocksOf, type ClientBlock, chatContent, chatParts, markLast, textParts } from './client-blocks.ts';

/** @param at path of the messages @throws GatewayError invalid_request that names the field */
export function chatTurns(messages: unknown, at: string, losses: LossList): readonly ChatTurn[] {
  if (!Array.isArray(messages) || messages.length === 0) throw invalid(at, `${at} must be a non-empty array`);
  return messages.flatMap((message: unknown, index) => turnsOf(message, `${at}[${index}]`, losses));
}

function turnsOf(message: unknown, at: string, losses: LossList): readonly ChatTurn[] {
  if (!isObject(message)) throw invalid(at, `${at} must be an object with a role and content`);
  const { role, content } = message;
  switch (role) {
    case 'user':
      return userTurns(content, at, losses);
    case 'assistant':
      return [{ message: assistantMessage(content, `${at}.content`, losses), at }];
    case 'system':
      return [
        { message: { role, content: chatContent(content, { at: `${at}.content`, partsOf: textParts }, losses) }, at },
      ];
    default:
      throw invalid(`${at}.role`, `${at}.role must be user or assistant`);
  }
}

/** Results of tools are messages of their own, before the rest. A cache point marks what is before it. */
function userTurns(content: unknown, at: string, losses: LossList): readonly ChatTurn[] {
  const results: JsonObject[] = [];
  const origins: string[] = [];
  const rest: JsonObject[] = [];
  let last = rest;
  for (const one of blocksOf(content, `${at}.content`)) {
    const { toolResult, cachePoint } = one.block;
    if (isObject(cachePoint)) markLast(last, one, losses);
    else if (isGiven(toolResult)) {
      results.push(resultMessage(toolResult, `${one.at}.toolResult`, losses));
      origins.push(one.at);
      last = results;
    } else {
      rest.push(...chatParts(one, losses));
      last = rest;
    }
  }
  const turns = results.map((message, index) => ({ message, at: origins[index] ?? at }));
  return rest.length === 0 && results.length > 0 ? turns : [...turns, { message: { role: 'user', content: rest }, at }];
}

function resultMessage(result: unknown, at: string, losses: LossList): JsonObject {
  if (!isObject(result)) throw invalid(at, `${at} must be an object with toolUseId and content`);
  const { toolUseId: id, content, status, type } = result;
  if (typeof id !== 'string') throw invalid(`${at}.toolUseId`, `${at}.toolUseId must be a string`);
  if (status === 'error') losses.drop('messages.content.toolResult.status');
  if (isGiven(type)) losses.refuse(`${at}.type`);
  const parts = chatContent(content ?? [], { at: `${at}.content`, partsOf: chatParts }, losses);
  return { role: 'tool', tool_call_id: id, content: parts.length === 0 ? '' : parts };
}

function assistantMessage(content: unknown, at: string, losses: LossList): JsonObject {
  const parts: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const thinking: JsonObject[] = [];
  const images: JsonObject[] = [];
  let last = parts;
  for (const one of blocksOf(content, at)) {
    const { toolUse, reasoningContent, cachePoint, image } = one.block;
    if (isObject(cachePoint)) markLast(last, one, losses);
    else if (isObject(reasoningContent)) thinking.push(...thinkingBlocks(reasoningContent));
    else if (isGiven(toolUse)) {
      calls.push(toolCall(toolUse, one, losses));
      last = calls;
    } else if (isGiven(image)) images.push(...chatParts(one, losses));
    else {
      parts.push(...textParts(one, losses));
      last = parts;
    }
  }
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : parts,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
    ...(images.length > 0 && { images }),
  };
}

/** Without a signature, no vendor takes it back: the writers of requests leave it out. */
function thinkingBlocks({ reasoningText, redactedContent }: JsonObject): JsonObject[] {
  if (typeof redactedContent === 'string') return [{ type: 'redacted_thinking', data: redactedContent }];
  if (!isObject(reasoningText)) return [];
  const { text, signature } = reasoningText;
  return [{ type: 'thinking', thinking: text ?? '', signature: signature ?? '' }];
}

function toolCall(call: unknown, { at }: ClientBlock, losses: LossList): JsonObject {
  const where = `${at}.toolUse`;
  if (!isObject(call)) throw invalid(where, `${where} must be an object with toolUseId, name and input`);
  const { toolUseId: id, name, input, type } = call;
  if (typeof id !== 'string') throw invalid(`${where}.toolUseId`, `${where}.toolUseId must be a string`);
  if (typeof name !== 'string') throw invalid(`${where}.name`, `${where}.name must be a string`);
  // A call of a tool that the vendor ran.
  if (isGiven(type)) losses.refuse(`${where}.type`);
  return { id, type: 'function', function: { name, arguments: isGiven(input) ? writeJson(input) : '{}' } };
}
