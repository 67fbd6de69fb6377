// Which answer a chunk is of: what all chunks of a stream repeat, and the model has no say in.
import type { JsonObject } from '../../../common/json.ts';

/** `obfuscation` hides how long a text is. */
export const headFields: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'provider', 'obfuscation'],
]);

export function headOf(chunk: JsonObject): JsonObject {
  const head: JsonObject = {};
  for (const name of headFields) if (chunk[name] !== undefined) head[name] = chunk[name];
  return head;
}
