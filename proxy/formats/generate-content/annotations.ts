// Converts the vendor's grounding (SDK types `GroundingMetadata`, `Segment`) into the callers' `annotations` (SDK type
// `ChatCompletionMessage.Annotation`). The vendor counts bytes of UTF-8. The callers' format counts characters, which
// are UTF-16 code units here, because most clients cut the text with JavaScript's `slice` or an equivalent.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { count } from '../../conversation/usage.ts';

/**
 * @param content the response's text as the caller gets it
 * @param partStarts byte offsets in the content at which the vendor's parts begin; empty if unknown, as in a stream
 */
export function annotations(grounding: JsonObject, content: string, partStarts: readonly number[] = []): JsonObject[] {
  if (content.length > contentMax) return [];
  const supports = readSupports(grounding, partStarts);
  const indexes = indexesAt(
    content,
    supports.flatMap(({ spans }) => spans.flat()),
  );
  return supports.flatMap((support) => {
    const span = locate(support, content, indexes);
    if (span === undefined) return [];
    const [start_index, end_index] = span;
    return support.sources.map((source) => ({
      type: 'url_citation',
      url_citation: { start_index, end_index, ...source },
    }));
  });
}

// Bounds on the work for one response.
const contentMax = 1_000_000;
const supportsMax = 500;
const sourcesMax = 50;

type Range = readonly [start: number, end: number];

interface Support {
  /** The text that the sources support. */
  readonly text: string | undefined;
  /** Byte ranges that may contain the text, the most likely first. */
  readonly spans: readonly Range[];
  readonly sources: readonly { readonly url: string; readonly title: string }[];
}

function readSupports(grounding: JsonObject, partStarts: readonly number[]): Support[] {
  const { groundingSupports: supports, groundingChunks: chunks } = grounding;
  if (!Array.isArray(supports) || !Array.isArray(chunks)) return [];
  return supports
    .slice(0, supportsMax)
    .filter(isObject)
    .map(({ segment, groundingChunkIndices: indices }) => {
      const segmentFields = isObject(segment) ? segment : {};
      const cited: unknown[] = Array.isArray(indices) ? indices.slice(0, sourcesMax) : [];
      return {
        text: typeof segmentFields.text === 'string' && segmentFields.text !== '' ? segmentFields.text : undefined,
        spans: positionsOf(segmentFields, partStarts),
        sources: cited.flatMap((index) => sourceOf(chunks[Number(index)]) ?? []),
      };
    });
}

/** Offsets are relative to the part. The vendor may omit the index of any part, and a stream cuts the parts. */
function positionsOf(segment: JsonObject, partStarts: readonly number[]): Range[] {
  const { startIndex = 0, endIndex, partIndex = 0 } = segment;
  const [start, end, part] = [count(startIndex), count(endIndex), count(partIndex)];
  if (start === undefined || end === undefined || end < start) return [];
  const begun = part === undefined ? undefined : partStarts[part];
  return [...new Set([begun ?? 0, 0])].map((base) => [base + start, base + end]);
}

function sourceOf(chunk: unknown): Support['sources'][number] | undefined {
  if (!isObject(chunk)) return undefined;
  const source = [chunk.web, chunk.retrievedContext, chunk.maps].find(isObject);
  if (source === undefined || typeof source.uri !== 'string') return undefined;
  return { url: source.uri, title: typeof source.title === 'string' ? source.title : source.uri };
}

/**
 * The range of the text: one of the reported ranges that contains it, else its first occurrence. Wrong ranges would
 * mislead readers.
 */
function locate({ text, spans }: Support, content: string, indexes: ReadonlyMap<number, number>): Range | undefined {
  for (const [startByte, endByte] of spans) {
    const [start, end] = [indexes.get(startByte), indexes.get(endByte)];
    if (start === undefined || end === undefined) continue;
    if (text === undefined || content.slice(start, end) === text) return [start, end];
  }
  const at = text === undefined ? -1 : content.indexOf(text);
  return text === undefined || at === -1 ? undefined : [at, at + text.length];
}

/** The UTF-16 index of each byte offset. Offsets outside of the text or inside a character are omitted. */
function indexesAt(text: string, offsets: readonly number[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  let bytes = 0;
  let index = 0;
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    while (bytes < offset && index < text.length) {
      const code = text.codePointAt(index) ?? 0;
      bytes += bytesOf(code);
      index += code < 0x10000 ? 1 : 2;
    }
    if (bytes === offset) found.set(offset, index);
  }
  return found;
}

/** Length in UTF-8. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
