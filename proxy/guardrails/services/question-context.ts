// What an answer is compared with: what the model was shown. The caller's last question is apart from all else.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { AskedContext } from '../../../guardrails/services/adapter.ts';

export function contextOf({ messages }: JsonObject): AskedContext {
  const turns = objectsOf(messages);
  const last = turns.findLastIndex(({ role }) => role === 'user');
  const texts = turns.map(({ content }) => textOf(content));
  return {
    sources: texts.filter(
      (text, index) => index !== last && text !== '' && turns[index]?.role !== 'assistant',
    ),
    query: texts[last] ?? '',
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n');
}
