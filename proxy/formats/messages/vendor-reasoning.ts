// Thinking of Claude models in requests of the Messages API (SDK types `ThinkingBlockParam`,
// `RedactedThinkingBlockParam` of @anthropic-ai/sdk).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { awaitsResults, hasBlocks, type VendorReasoning, withoutBlocks } from '../vendor-reasoning.ts';

export const messagesReasoning: VendorReasoning = {
  isUsed: ({ thinking, messages }) => requests(thinking) || hasBlocks(messages, isThinking),
  without: (body) => {
    const messages = withoutBlocks(body.messages, isThinking);
    if (messages === undefined) return undefined;
    const dropped = ['messages.content.thinking'];
    if (!requests(body.thinking) || !awaitsResults(body.messages, isResult)) {
      return { body: { ...body, messages }, dropped };
    }
    // With thinking, the vendor refuses calls of tools that have none before them.
    const { thinking: _off, ...others } = body;
    return { body: { ...others, messages }, dropped: [...dropped, 'thinking'] };
  },
};

function requests(thinking: unknown): boolean {
  return isObject(thinking) && isGiven(thinking.type) && thinking.type !== 'disabled';
}

function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function isResult({ type }: JsonObject): boolean {
  return type === 'tool_result';
}
