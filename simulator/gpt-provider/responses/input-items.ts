// The items of a stored response's input (ResponseItem of the vendor's SDK), each with an id and a status.
import type { Json } from '../../checks.ts';
import { idOf, type Prefix } from './ids.ts';
import { typeOf } from './items.ts';

const prefixes: Readonly<Record<string, Prefix>> = {
  message: 'msg',
  reasoning: 'rs',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctc',
  web_search_call: 'ws',
  compaction: 'cmp',
};

/** Output items have ids from 0, so these begin far above. */
const firstIndex = 1_000_000;

export function inputItems(items: readonly Json[], sequence: number): readonly Json[] {
  return items.map((item, index) => {
    const type = typeOf(item);
    const id = item.id ?? idOf(prefixes[type] ?? 'fc', sequence, firstIndex + index);
    const parts = type === 'message' ? { content: contentOf(item) } : {};
    const status = type === 'message' || type.includes('call') ? { status: item.status ?? 'completed' } : {};
    return { ...item, ...parts, ...status, id, type };
  });
}

function contentOf({ content, role }: Json): unknown {
  if (typeof content !== 'string') return content;
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [], logprobs: [] }]
    : [{ type: 'input_text', text: content }];
}
