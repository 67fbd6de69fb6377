// Thought signatures in requests of generateContent (SDK type `Part` of @google/genai). The gateway marks those that it
// carries for other formats; these are the vendor's own.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import type { VendorReasoning } from '../vendor-reasoning.ts';
import { wrappedIn } from './client-thoughts.ts';
import { isMarked } from './signatures.ts';

/** The vendor's pages on thought signatures allow this value for a lost signature. */
export const anySignature = 'skip_thought_signature_validator';

export const generateContentReasoning: VendorReasoning = {
  isUsed: ({ contents }) => hasSigned(contents),
  without: (body) => {
    const { contents } = body;
    if (!Array.isArray(contents) || !hasSigned(contents)) return undefined;
    const left = contents.flatMap((content: unknown) => {
      if (!isObject(content) || !Array.isArray(content.parts)) return [content];
      const parts = content.parts.flatMap((part: unknown): readonly unknown[] =>
        isObject(part) && isSigned(part) ? unsigned(part) : [part],
      );
      return parts.length === 0 ? [] : [{ ...content, parts }];
    });
    return { body: { ...body, contents: left }, dropped: ['contents.parts.thoughtSignature'] };
  },
};

function hasSigned(contents: unknown): boolean {
  return objectsOf(contents).some(({ parts }) => objectsOf(parts).some(isSigned));
}

function isSigned({ thoughtSignature, thought_signature: snake }: JsonObject): boolean {
  const given = thoughtSignature ?? snake;
  return isGiven(given) && given !== anySignature && !isMarked(given) && wrappedIn(given) === undefined;
}

/** A call needs a signature; a thought, or an empty part that only had one, says nothing without it. */
function unsigned({ thoughtSignature: _one, thought_signature: _other, ...part }: JsonObject): readonly JsonObject[] {
  if (isGiven(part.functionCall) || isGiven(part.function_call)) return [{ ...part, thoughtSignature: anySignature }];
  const isEmpty = part.thought === true || part.text === '' || Object.keys(part).length === 0;
  return isEmpty ? [] : [part];
}
