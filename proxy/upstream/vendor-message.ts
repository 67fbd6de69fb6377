// The part of a vendor's error message that may be logged. It never contains anything of the request: the message of a
// refusal because of the request's content is not logged, and neither is a message that contains a part of the request.
import { isObject } from '../../common/json.ts';
import { printableLine } from '../../common/key-forms.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import type { VendorError } from '../formats/format.ts';
import type { ProviderCall } from '../providers/provider.ts';
import { withoutKey } from './provider-text.ts';

const wordsMax = 300;
/** This many characters of the request in a row count as a part of it. */
const shared = 24;
const step = shared / 2;
/** Larger requests are not searched. */
const searchedMax = 128 * 1024;

/** A request without a body has nothing that a message could repeat. */
export interface FailedCall extends Pick<ProviderCall, 'target'> {
  readonly request: ChatRequest | undefined;
}

/** @returns the status, followed by the message if it may be logged; one line */
export function vendorWords(
  { status, message }: Pick<VendorError, 'status' | 'message'>,
  { request, target }: FailedCall,
): string {
  const about = `status ${status}`;
  if (!isAboutTheVendor(status)) return about;
  const words = printableLine(withoutKey(message, target.credential), wordsMax);
  return words === '' || repeats(words, request) ? about : `${about}: ${words}`;
}

/** About its key, models, limits or state, not about the request's content. */
function isAboutTheVendor(status: number): boolean {
  return status >= 500 || [401, 402, 403, 404, 408, 409, 429].includes(status);
}

function repeats(words: string, request: ChatRequest | undefined): boolean {
  if (request === undefined || words.length < step) return false;
  const { body, bytes } = request;
  if (bytes > searchedMax) return true;
  const pieces = Array.from({ length: Math.floor(words.length / step) }, (_, at) =>
    words.slice(at * step, (at + 1) * step),
  );
  const { model: _named, ...rest } = body;
  const contains = (value: unknown): boolean => {
    if (typeof value === 'string') return value.length >= step && pieces.some((piece) => value.includes(piece));
    if (Array.isArray(value)) return value.some(contains);
    return isObject(value) && Object.values(value).some(contains);
  };
  return contains(rest);
}
