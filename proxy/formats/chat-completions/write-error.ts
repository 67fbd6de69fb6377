// The error envelope for clients of chat completions. Source: the GPT vendor's "Error codes"; `APIError` of its SDK.
import type { PublicError } from '../client-format.ts';
import { statusWords } from '../status-words.ts';

/** Absent fields are null, except the hint. */
export function writeChatError({ status, message, param, code, hint }: PublicError): object {
  return { error: { message, type: chatErrorType(status), param: param ?? null, code: code ?? null, hint } };
}

/** `type` of the envelope. */
export const chatErrorType = statusWords(
  { 401: 'authentication_error', 402: 'insufficient_quota', 403: 'permission_error', 429: 'rate_limit_error' },
  { client: 'invalid_request_error', server: 'server_error' },
);
