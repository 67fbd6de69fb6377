// What a Claude model thought, wherever it is served: told in the extension `thinking_blocks`, and sent back unchanged with
// the calls that came of it (SDK types `ThinkingBlockParam`, `RedactedThinkingBlockParam` of @anthropic-ai/sdk).
import type { JsonObject } from '../../../common/json.ts';

export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

/** Undefined for what such a model did not issue: without its signature nothing is taken back. */
export function readThinkingBlock({
  type,
  thinking,
  signature,
  data,
}: JsonObject): ThinkingBlock | undefined {
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string') {
    return signature === '' ? undefined : { type, thinking, signature };
  }
  return type === 'redacted_thinking' && typeof data === 'string' && data !== '' ? { type, data } : undefined;
}
