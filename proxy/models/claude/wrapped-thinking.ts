// The thinking of a Claude model for clients whose format has no field for signatures of this kind: the signature, or
// the encrypted text, is wrapped in the chat form already, so that the writers of clients' formats only move it.
import { type JsonObject, objectsOf } from '../../../common/json.ts';
import {
  type Issuer,
  isFrom,
  isWrapped,
  type Opaque,
  shortDigest,
  unwrapObject,
  unwrapOpaque,
  wrapObject,
  wrapOpaque,
} from '../../conversation/opaque.ts';
import type { ThinkingBlock } from '../../conversation/response.ts';
import { readThinkingBlock } from './thinking-blocks.ts';

/** @returns none for a block that is too large */
export function wrapThinking(block: ThinkingBlock, issuer: Issuer): readonly ThinkingBlock[] {
  if (block.type === 'redacted_thinking') {
    const data = wrapOpaque({ issuer, kind: 'redacted_thinking', value: block.data });
    return data === undefined ? [] : [{ ...block, data }];
  }
  const { thinking, signature: value } = block;
  const signature = wrapOpaque({ issuer, kind: 'signature', value, text: shortDigest(thinking) });
  return signature === undefined ? [] : [{ ...block, signature }];
}

/** A block of the chat form from a wrapped value; undefined if the gateway did not wrap it. @param text beside it */
export function wrappedBlock(wrapped: unknown, text: string): ThinkingBlock | undefined {
  const opaque = isWrapped(wrapped) ? unwrapOpaque(wrapped) : undefined;
  if (opaque === undefined || !isWrapped(wrapped)) return undefined;
  return opaque.kind === 'signature'
    ? { type: 'thinking', thinking: text, signature: wrapped }
    : { type: 'redacted_thinking', data: wrapped };
}

/** The wrapped value of a block; undefined if it has none. */
export function wrappedValue({ type, signature, data }: JsonObject): string | undefined {
  const value = type === 'thinking' ? signature : data;
  return isWrapped(value) ? value : undefined;
}

/**
 * Wrapped blocks with their text in one value, for clients that send calls back without the thinking before them.
 * @returns undefined for no blocks, and for blocks that are too large
 */
export function wrapBlocks(blocks: readonly JsonObject[]): string | undefined {
  const wrapped = blocks.filter((block) => wrappedValue(block) !== undefined);
  return wrapped.length === 0 ? undefined : wrapObject({ thinking_blocks: wrapped });
}

/** The blocks in such a value; none in any other. */
export function blocksIn(wrapped: string): readonly ThinkingBlock[] {
  const blocks = objectsOf(unwrapObject(wrapped)?.thinking_blocks).filter((block) => wrappedValue(block) !== undefined);
  return blocks.flatMap((block) => readThinkingBlock(block) ?? []);
}

/**
 * A block of a request as its issuer sent it. Blocks that were not wrapped stay unchanged.
 * @returns undefined if another issuer wrote it, or if its text was changed
 */
export function ownThinking(block: JsonObject, issuer: Issuer): JsonObject | undefined {
  const wrapped = wrappedValue(block);
  if (wrapped === undefined) return block;
  const opaque = unwrapOpaque(wrapped);
  if (opaque === undefined || !isFrom(opaque, issuer) || !fits(opaque, block)) return undefined;
  return opaque.kind === 'signature' ? { ...block, signature: opaque.value } : { ...block, data: opaque.value };
}

function fits({ kind, text }: Opaque, { type, thinking }: JsonObject): boolean {
  if (kind === 'redacted_thinking') return type === kind;
  return type === 'thinking' && text === shortDigest(String(thinking));
}
