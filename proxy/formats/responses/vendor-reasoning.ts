// Encrypted reasoning in requests of the Responses API (SDK types `ResponseReasoningItem` and `ResponseIncludable` of
// openai). Only the account that wrote it can decrypt it. A compaction is the conversation itself, so it stays.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isWrapped } from '../../conversation/opaque.ts';
import { isGiven } from '../../conversation/options.ts';
import type { VendorReasoning } from '../vendor-reasoning.ts';

export const responsesReasoning: VendorReasoning = {
  isUsed: ({ include, input }) =>
    (Array.isArray(include) && include.includes('reasoning.encrypted_content')) || objectsOf(input).some(isEncrypted),
  without: (body) => {
    const { input } = body;
    if (!Array.isArray(input) || !objectsOf(input).some(isEncrypted)) return undefined;
    const left = input.filter((item: unknown) => !isObject(item) || !isEncrypted(item));
    return { body: { ...body, input: left }, dropped: ['input.reasoning'] };
  },
};

function isEncrypted({ type, encrypted_content: content }: JsonObject): boolean {
  return type === 'reasoning' && isGiven(content) && !isWrapped(content);
}
