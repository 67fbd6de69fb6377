// Parts of an answer held against its guards one text after another: what a stream does with the parts that it holds whole, and
// what gives the same as a complete answer does.
import { isObject, type JsonObject } from '../../common/json.ts';
import { mapTexts, type Place } from '../../guardrails/inspection/inspection-schema.ts';
import { answerPlaces } from '../../guardrails/inspection/response-schema.ts';
import { type Guard, guardText } from '../../guardrails/window.ts';
import type { AnswerGuards } from './response-guards.ts';

/**
 * All strings of an answer, a chunk or a part of one that are inspected; ids, signatures and the like pass.
 * @param makeGuards of AnswerGuards
 * @param place where the fields stand
 * @returns the very same fields where nothing was replaced
 * @throws BlockedError, TooDeepError
 */
export function guardStrings(
  fields: JsonObject,
  makeGuards: AnswerGuards['guards'],
  place: Place = answerPlaces,
): JsonObject {
  let group: number | undefined;
  let guards: readonly Guard[] = [];
  const guarded = mapTexts(fields, place, (slot) => {
    if (slot.isFixed) return guardText(makeGuards('fixed'), slot.text);
    if (slot.group !== group) guards = makeGuards();
    group = slot.group;
    return guardText(guards, slot.text);
  });
  return isObject(guarded) ? guarded : fields;
}
