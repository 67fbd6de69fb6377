// Reasoning in requests of Converse (SDK type `ReasoningContentBlock` of @aws-sdk/client-bedrock-runtime).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { awaitsResults, hasBlocks, type VendorReasoning, withoutBlocks } from '../vendor-reasoning.ts';

export const converseReasoning: VendorReasoning = {
  isUsed: (body) => requests(body.additionalModelRequestFields) || hasBlocks(body.messages, isReasoning),
  without: (body) => {
    const messages = withoutBlocks(body.messages, isReasoning);
    if (messages === undefined) return undefined;
    const dropped = ['messages.content.reasoningContent'];
    const { additionalModelRequestFields: extra } = body;
    if (!isObject(extra) || !requests(extra) || !awaitsResults(body.messages, isResult)) {
      return { body: { ...body, messages }, dropped };
    }
    // With thinking, Claude models refuse calls of tools that have none before them.
    const { thinking: _off, ...others } = extra;
    return {
      body: { ...body, messages, additionalModelRequestFields: others },
      dropped: [...dropped, 'additionalModelRequestFields.thinking'],
    };
  },
};

/** Models of Claude; others have no reasoning that they want back. */
function requests(extra: unknown): boolean {
  const thinking = isObject(extra) ? extra.thinking : undefined;
  return isObject(thinking) && isGiven(thinking.type) && thinking.type !== 'disabled';
}

function isReasoning({ reasoningContent }: JsonObject): boolean {
  return isGiven(reasoningContent);
}

function isResult({ toolResult }: JsonObject): boolean {
  return isGiven(toolResult);
}
