// The error envelope for clients of the Messages API. The SDK selects its error class by the status, and by
// `details.error_code` where it knows that. Source: SDK types `ErrorResponse`, `ErrorType` of @anthropic-ai/sdk.
import type { PublicError } from '../client-format.ts';
import { statusWords } from '../status-words.ts';

export function writeMessagesError({ status, message, code, hint, requestId }: PublicError): object {
  const details = code === undefined ? {} : { details: { error_code: code } };
  return { type: 'error', error: { type: typeOf(status), message, hint, ...details }, request_id: requestId };
}

const typeOf = statusWords(
  {
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    408: 'timeout_error',
    429: 'rate_limit_error',
    503: 'overloaded_error',
    504: 'timeout_error',
  },
  { client: 'invalid_request_error', server: 'api_error' },
);
