// The error envelope for clients of generateContent: google.rpc.Status as JSON, with the code as an ErrorInfo.
// Source: cloud.google.com/apis/design/errors; google/rpc/error_details.proto.
import type { PublicError } from '../client-format.ts';
import { statusWords } from '../status-words.ts';

export function writeGenerateContentError({ status, message, code, hint }: PublicError): object {
  const reason = code === undefined ? {} : { details: [{ ...errorInfo, reason: code, domain: 'model-gateway' }] };
  return { error: { code: status, message, status: statusOf(status), hint, ...reason } };
}

const errorInfo = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo' };

const statusOf = statusWords(
  {
    401: 'UNAUTHENTICATED',
    402: 'RESOURCE_EXHAUSTED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    408: 'DEADLINE_EXCEEDED',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
  },
  { client: 'INVALID_ARGUMENT', server: 'INTERNAL' },
);
