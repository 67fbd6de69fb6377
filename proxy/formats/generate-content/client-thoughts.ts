// Thinking of a Claude model in a client's parts (SDK type `Part` of @google/genai): thoughts whose signature is the
// wrapped value. The field is base64 for the SDKs, so it has the base64 of that text. The vendor's own signatures are at
// calls, and clients such as Gemini CLI send calls back without the thoughts before them. So the first call has these
// thoughts once more, in its signature.
import type { JsonObject } from '../../../common/json.ts';
import { isWrapped } from '../../conversation/opaque.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ThinkingBlock } from '../../conversation/response.ts';
import { blocksIn, wrapBlocks, wrappedBlock, wrappedValue } from '../../models/claude/wrapped-thinking.ts';
import type { LossList } from '../client-losses.ts';
import type { ClientPart } from './client-parts.ts';

/** A block of thinking that its vendor wants back is a part; other reasoning is one part. */
export function thoughtParts(reasoning: string, blocks: readonly JsonObject[]): readonly JsonObject[] {
  const wrapped = blocks.filter((block) => wrappedValue(block) !== undefined);
  if (wrapped.length === 0) return reasoning === '' ? [] : [{ text: reasoning, thought: true }];
  return wrapped.map((block) => ({
    ...{ text: typeof block.thinking === 'string' ? block.thinking : '', thought: true },
    ...thoughtSignature(block),
  }));
}

/** The end of a block in a stream: its text came before. */
export function thoughtEnd(block: ThinkingBlock): readonly JsonObject[] {
  return wrappedValue({ ...block }) === undefined
    ? []
    : [{ text: '', thought: true, ...thoughtSignature({ ...block }) }];
}

function thoughtSignature(block: JsonObject): JsonObject {
  return { thoughtSignature: Buffer.from(wrappedValue(block) ?? '').toString('base64') };
}

/** The parts of calls; the first one with the thoughts before it. @param blocks with their text */
export function withThoughts(calls: readonly JsonObject[], blocks: readonly JsonObject[]): readonly JsonObject[] {
  const [first, ...others] = calls;
  const wrapped = first === undefined || isGiven(first.thoughtSignature) ? undefined : wrapBlocks(blocks);
  if (wrapped === undefined) return calls;
  return [{ ...first, thoughtSignature: Buffer.from(wrapped).toString('base64') }, ...others];
}

/** The thoughts in the signature of a call. */
export function thoughtsAtCall(signature: unknown): readonly ThinkingBlock[] {
  return blocksIn(wrappedIn(signature) ?? '');
}

/** The beginning of base64 of a wrapped value. */
const start = Buffer.from('gw1_ey').toString('base64');

/** The wrapped value in a field; undefined for a vendor's own signature. */
export function wrappedIn(signature: unknown): string | undefined {
  if (typeof signature !== 'string' || !signature.startsWith(start)) return undefined;
  const text = Buffer.from(signature, 'base64').toString();
  return isWrapped(text) ? text : undefined;
}

/** The thoughts of one turn. The pieces of a streamed block are parts, and the last one has the signature. */
export class ThoughtReader {
  readonly blocks: ThinkingBlock[] = [];
  readonly #losses: LossList;
  #text = '';
  /** The first part of a block without its signature. */
  #open: string | undefined;

  constructor(losses: LossList) {
    this.#losses = losses;
  }

  /** @param one a thought with a text */
  add({ part, at }: ClientPart, text: string): void {
    this.#text += text;
    this.#open ??= at;
    const block = wrappedBlock(wrappedIn(part.thoughtSignature), this.#text);
    if (block === undefined) return;
    this.blocks.push(block);
    this.#text = '';
    this.#open = undefined;
  }

  /** Other thoughts are left out, because only their own model could read them. */
  end(): void {
    if (this.#open !== undefined) this.#losses.drop(`${this.#open}.thought`);
  }
}
