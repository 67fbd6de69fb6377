// The texts of an event of a stream (SDK type `RawMessageStreamEvent`).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { pieceOf, type StreamedText } from '../streamed-texts.ts';

export function textsOfMessageEvent({ index, content_block: block, delta }: JsonObject): readonly StreamedText[] {
  if (isObject(block)) return textsOfBlock(index, block);
  if (!isObject(delta)) return [];
  return [
    ...pieceOf('text', index, { text: delta.text }),
    ...pieceOf('reasoning', index, { text: delta.thinking }),
    ...pieceOf('call', index, { text: delta.partial_json }),
  ];
}

function textsOfBlock(index: unknown, { name, text, thinking }: JsonObject): readonly StreamedText[] {
  return [
    ...pieceOf('call', index, { text: '', name }),
    ...pieceOf('text', index, { text }),
    ...pieceOf('reasoning', index, { text: thinking }),
  ];
}
