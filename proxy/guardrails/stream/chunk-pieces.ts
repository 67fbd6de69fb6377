// Chunks with long texts, cut into several that say the same: however text is cut, it gives the same, and between two slices others
// have their turn.
import { isObject, type JsonObject } from '../../../common/json.ts';

/** UTF-16 units of a text in one slice. */
export const sliceMax = 16 * 1024;

const textNames = ['content', 'reasoning_content', 'reasoning', 'refusal'];

/** @returns none where no text of the chunk is long; the last slice says what else the chunk says */
export function slicesOf(chunk: JsonObject): JsonObject[] {
  const slices: JsonObject[] = [];
  const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
  const rest = choices.map((choice: unknown) => {
    if (!isObject(choice) || !isObject(choice.delta)) return choice;
    const { role, ...delta } = choice.delta;
    const opening = role === undefined ? {} : { role };
    for (const name of textNames) {
      const text = delta[name];
      if (typeof text !== 'string' || text.length <= sliceMax) continue;
      let at = 0;
      for (; at + sliceMax < text.length; at += sliceMax) {
        const stated = { ...opening, [name]: text.slice(at, at + sliceMax) };
        slices.push({ ...headOf(chunk), choices: [{ index: choice.index, delta: stated }] });
      }
      delta[name] = text.slice(at);
    }
    return { ...choice, delta: { ...opening, ...delta } };
  });
  return slices.length === 0 ? [] : [...slices, { ...chunk, choices: rest }];
}

/** What all chunks of a stream repeat, and the model has no say in. `obfuscation` hides how long a text is. */
export const headFields: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'provider', 'obfuscation'],
]);

export function headOf(chunk: JsonObject): JsonObject {
  const head: JsonObject = {};
  for (const name of headFields) if (chunk[name] !== undefined) head[name] = chunk[name];
  return head;
}
