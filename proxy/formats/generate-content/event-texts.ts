// The texts of a part of a stream (SDK type `GenerateContentResponse`).
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { pieceOf, type StreamedText } from '../streamed-texts.ts';

export function textsOfCandidates({ candidates }: JsonObject): readonly StreamedText[] {
  return objectsOf(candidates).flatMap(({ index = 0, content }) =>
    isObject(content) ? objectsOf(content.parts).flatMap((part) => textsOfPart(index, part)) : [],
  );
}

function textsOfPart(candidate: unknown, { text, thought, functionCall: call }: JsonObject): readonly StreamedText[] {
  if (!isObject(call)) return pieceOf(thought === true ? 'reasoning' : 'text', candidate, { text });
  // Calls are whole, and a candidate may have several of one name.
  return pieceOf('call', `${candidate}.${call.id ?? call.name}`, { text: writeJson(call.args ?? {}), name: call.name });
}
