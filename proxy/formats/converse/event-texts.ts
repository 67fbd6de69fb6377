// The texts of a stream of frames: events of Converse (SDK type `ConverseStreamOutput`), or chunks of InvokeModel, which
// contain events of another format.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { pieceOf, type StreamedText, type TextReader, type TextsOfEvent, textsOfJson } from '../streamed-texts.ts';
import { FrameSplitter } from './frames.ts';

export function converseTexts(): TextReader {
  return frameTexts((payload) => textsOfJson(payload, textsOfConverseEvent));
}

/** @param textsOf an event in a chunk */
export function invokeTexts(textsOf: TextsOfEvent): TextReader {
  return frameTexts((payload) =>
    textsOfJson(payload, ({ bytes }) =>
      typeof bytes === 'string' ? textsOfJson(Buffer.from(bytes, 'base64').toString(), textsOf) : [],
    ),
  );
}

function frameTexts(textsOf: (payload: string) => readonly StreamedText[]): TextReader {
  const frames = new FrameSplitter(Number.POSITIVE_INFINITY);
  return { push: (bytes) => frames.push(bytes).flatMap(({ payload }) => textsOf(payload)) };
}

function textsOfConverseEvent({ contentBlockIndex: index, start, delta }: JsonObject): readonly StreamedText[] {
  const called = isObject(start) && isObject(start.toolUse) ? start.toolUse : undefined;
  if (called !== undefined) return pieceOf('call', index, { text: '', name: called.name });
  if (!isObject(delta)) return [];
  const { text, reasoningContent: reasoning, toolUse: call } = delta;
  return [
    ...pieceOf('text', index, { text }),
    ...(isObject(reasoning) ? pieceOf('reasoning', index, { text: reasoning.text }) : []),
    ...(isObject(call) ? pieceOf('call', index, { text: call.input }) : []),
  ];
}
