// Images that a model made: the callers' format has no place for them in a message, this is what its clients know.
import type { JsonObject } from '../../common/json.ts';

/** @param signature what the vendor wants back with it */
export function imageExtra(url: string, signature?: string): JsonObject {
  const image = { type: 'image_url', image_url: { url } };
  return signature === undefined ? image : { ...image, thought_signature: signature };
}
