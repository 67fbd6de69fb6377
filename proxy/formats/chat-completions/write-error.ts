// The error envelope for clients of chat completions. Source: the GPT vendor's "Error codes"; `APIError` of its SDK.
import type { PublicError } from '../client-format.ts';

/** Absent fields are null, except the hint. */
export function writeChatError({ status, message, param, code, hint }: PublicError): object {
  return { error: { message, type: chatErrorType(status), param: param ?? null, code: code ?? null, hint } };
}

/** `type` of the envelope, by status. */
export function chatErrorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'insufficient_quota';
    case 403:
      return 'permission_error';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'server_error' : 'invalid_request_error';
  }
}
