// The events of a stream (ResponseStreamEvent of the vendor's SDK), numbered from 0, each item after the other.
import { isObject, type Json } from '../../checks.ts';
import { words } from '../../tokens.ts';
import type { OutputItem } from './output.ts';

type Event = Json & { readonly type: string };

/** The response before its end, and as it ends. */
export interface Frames {
  readonly queued: Json;
  readonly opened: Json;
  readonly ended: Json & { readonly status: string };
  readonly background: boolean;
  /** Pads deltas, so that the sizes of packets do not show tokens. */
  readonly obfuscated: boolean;
}

export function* eventsOf(items: readonly OutputItem[], frames: Frames): Generator<Json> {
  let count = 0;
  for (const event of unnumbered(items, frames)) {
    const { type, ...fields } = event;
    const padded = frames.obfuscated && 'delta' in fields;
    const obfuscation = 'Xk3Zq9aLw0Rt5Vb1'.slice((count * 7) % 17);
    yield { type, sequence_number: count, ...fields, ...(padded && { obfuscation }) };
    count += 1;
  }
}

/** A frame of the stream: the event's type, and its data. */
export function frame(event: Json): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}

function* unnumbered(items: readonly OutputItem[], { background, queued, opened, ended }: Frames): Generator<Event> {
  yield { type: 'response.created', response: background ? queued : opened };
  if (background) yield { type: 'response.queued', response: queued };
  yield { type: 'response.in_progress', response: opened };
  for (const [index, one] of items.entries()) yield* itemEvents(one, index);
  yield { type: `response.${ended.status}`, response: ended };
}

function* itemEvents(output: OutputItem, output_index: number): Generator<Event> {
  const { item } = output;
  yield { type: 'response.output_item.added', output_index, item: begun(item) };
  const at = { item_id: item.id, output_index };
  switch (item.type) {
    case 'reasoning':
      yield* summaryEvents(item, at);
      break;
    case 'message':
      yield* contentEvents(output, at);
      break;
    case 'function_call':
      yield* textEvents('response.function_call_arguments', output.deltas, at);
      yield { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments };
      break;
    case 'custom_tool_call':
      yield* textEvents('response.custom_tool_call_input', output.deltas, at);
      yield { type: 'response.custom_tool_call_input.done', ...at, input: item.input };
      break;
    default:
      for (const step of ['in_progress', 'searching', 'completed']) {
        yield { type: `response.web_search_call.${step}`, ...at };
      }
  }
  yield { type: 'response.output_item.done', output_index, item };
}

/** The item before its content. */
function begun(item: Json): Json {
  switch (item.type) {
    case 'reasoning': {
      // As documented, the encrypted content may be incomplete before the item is done.
      const encrypted = String(item.encrypted_content);
      return { ...item, encrypted_content: encrypted.slice(0, encrypted.length / 2), summary: [] };
    }
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return { ...item, status: 'in_progress' };
  }
}

function* textEvents(type: string, deltas: readonly string[], at: Json): Generator<Event> {
  for (const delta of deltas) yield { type: `${type}.delta`, ...at, delta };
}

function* summaryEvents(item: Json, at: Json): Generator<Event> {
  const parts = item.summary as readonly { readonly text: string }[];
  for (const [summary_index, part] of parts.entries()) {
    const here = { ...at, summary_index };
    yield { type: 'response.reasoning_summary_part.added', ...here, part: { type: 'summary_text', text: '' } };
    yield* textEvents('response.reasoning_summary_text', words(part.text), here);
    yield { type: 'response.reasoning_summary_text.done', ...here, text: part.text };
    yield { type: 'response.reasoning_summary_part.done', ...here, part };
  }
}

function* contentEvents({ item, deltas }: OutputItem, at: Json): Generator<Event> {
  const [part = {}] = item.content as readonly Json[];
  const here = { ...at, content_index: 0 };
  const isRefusal = part.type === 'refusal';
  const empty = isRefusal ? { ...part, refusal: '' } : { ...part, annotations: [], logprobs: [], text: '' };
  yield { type: 'response.content_part.added', ...here, part: empty };
  if (isRefusal) {
    yield* textEvents('response.refusal', deltas, here);
    yield { type: 'response.refusal.done', ...here, refusal: part.refusal };
  } else {
    yield* outputTextEvents(part, deltas, here);
  }
  yield { type: 'response.content_part.done', ...here, part };
}

function* outputTextEvents(part: Json, deltas: readonly string[], here: Json): Generator<Event> {
  const logprobs = part.logprobs as readonly Json[];
  for (const [index, delta] of deltas.entries()) {
    const own = logprobs[index];
    yield { type: 'response.output_text.delta', ...here, delta, logprobs: isObject(own) ? [own] : [] };
  }
  for (const [annotation_index, annotation] of (part.annotations as readonly Json[]).entries()) {
    yield { type: 'response.output_text.annotation.added', ...here, annotation_index, annotation };
  }
  yield { type: 'response.output_text.done', ...here, text: part.text, logprobs };
}
