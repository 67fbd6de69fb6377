// Marks where a prompt is to be cached: the extension `cache_control` on parts, messages, calls and tools, and
// `prompt_cache_breakpoint`. A mark is never lost silently: it moves to a part that can carry it, or it is named among
// the dropped fields.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { CacheMark, Part } from './parts.ts';

export function markOf(part: Part): CacheMark | undefined {
  return part.kind === 'audio' ? undefined : part.cache;
}

/**
 * The parts of a message, with the message's own mark on the last part that can carry one. Blank texts are not sent, so
 * a mark on a blank text moves to the part before it.
 * @param whole the mark of the message
 * @returns isLost: there is no part before a mark
 */
export function withMarks<P extends Part>(
  parts: readonly P[],
  whole: CacheMark | undefined,
): { readonly marked: P[]; readonly isLost: boolean } {
  const marked: P[] = [];
  // Index of the last part that can carry a mark. A new search at each mark would take quadratic time.
  let bearer = -1;
  let isLost = false;
  const markLast = (mark: CacheMark) => {
    const last = marked[bearer];
    if (last === undefined) isLost = true;
    else marked[bearer] = { ...last, cache: markOf(last) ?? mark };
  };
  for (const part of parts) {
    const mark = markOf(part);
    if (bearsMark(part)) bearer = marked.length;
    if (mark === undefined || bearer === marked.length) marked.push(part);
    else {
      marked.push({ ...part, cache: undefined });
      markLast(mark);
    }
  }
  if (whole !== undefined) markLast(whole);
  return { marked, isLost };
}

function bearsMark(part: Part): boolean {
  return part.kind === 'text' ? part.text.trim() !== '' : part.kind !== 'audio';
}

/** Reads the mark of a part, a message, a call or a tool. */
export function readCacheMark(part: JsonObject): CacheMark | undefined {
  const { cache_control: control, prompt_cache_breakpoint: breakpoint } = part;
  if (isObject(control)) {
    const { ttl } = control;
    return { ttl: ttl === '1h' || ttl === '5m' ? ttl : undefined };
  }
  return isObject(breakpoint) ? { ttl: undefined } : undefined;
}
