// Cuts chunks with long texts into several chunks of the same content. The result does not depend on the cuts, and
// other requests can run between two slices.
import { isObject, type JsonObject } from '../../../common/json.ts';

/** UTF-16 units of text in one slice. */
export const sliceMax = 16 * 1024;

const textNames = ['content', 'reasoning_content', 'reasoning', 'refusal'];

/** @returns no slices if no text of the chunk is long; the last slice contains all other fields of the chunk */
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

/**
 * Fields that all chunks of a stream repeat, and the model does not write. `obfuscation` hides the length of a text.
 */
export const headFields: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'provider', 'obfuscation'],
]);

export function headOf(chunk: JsonObject): JsonObject {
  const head: JsonObject = {};
  for (const name of headFields) if (chunk[name] !== undefined) head[name] = chunk[name];
  return head;
}
