// The texts of a chunk of a stream (SDK type `ChatCompletionChunk`).
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { pieceOf, type StreamedText } from '../streamed-texts.ts';

export function textsOfChunk({ choices }: JsonObject): readonly StreamedText[] {
  return objectsOf(choices).flatMap(({ index = 0, delta }) =>
    isObject(delta) ? textsOfDelta(String(index), delta) : [],
  );
}

function textsOfDelta(choice: string, delta: JsonObject): readonly StreamedText[] {
  const { content, reasoning_content, reasoning, refusal, tool_calls: calls } = delta;
  return [
    ...pieceOf('reasoning', choice, { text: reasoning_content ?? reasoning }),
    ...pieceOf('text', choice, { text: content }),
    ...objectsOf(content).flatMap(({ text }) => pieceOf('text', choice, { text })),
    ...pieceOf('refusal', choice, { text: refusal }),
    ...objectsOf(calls).flatMap(({ index = 0, function: called }) =>
      isObject(called) ? pieceOf('call', `${choice}.${index}`, { text: called.arguments, name: called.name }) : [],
    ),
  ];
}
