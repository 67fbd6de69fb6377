// Errors for clients of Converse and InvokeModel. The SDK selects its error class by the header `x-amzn-errortype`, and
// inside of a stream by the type of an exception frame. Source: SDK types `BedrockRuntimeServiceException`,
// `ConverseStreamOutput`, `ResponseStream`.
import type { PublicError } from '../client-format.ts';
import { statusWords } from '../status-words.ts';
import { exceptionFrame } from './frames.ts';

export function writeConverseError({ message, code, hint }: PublicError): object {
  return { message, code, hint };
}

export function converseErrorHeaders({ status }: PublicError): readonly string[] {
  return ['x-amzn-errortype', typeOf(status)];
}

export function writeConverseStreamError(error: PublicError): Buffer {
  return exceptionFrame(streamTypeOf(error.status), JSON.stringify(writeConverseError(error)));
}

const typeOf = statusWords(
  {
    401: 'AccessDeniedException',
    402: 'AccessDeniedException',
    403: 'AccessDeniedException',
    404: 'ResourceNotFoundException',
    408: 'ModelTimeoutException',
    429: 'ThrottlingException',
    503: 'ServiceUnavailableException',
    504: 'ModelTimeoutException',
  },
  { client: 'ValidationException', server: 'InternalServerException' },
);

/** The stream ends because of the model, its provider or a guardrail, unless the gateway itself failed. */
const streamTypeOf = statusWords(
  { 429: 'throttlingException', 500: 'internalServerException' },
  { client: 'modelStreamErrorException', server: 'modelStreamErrorException' },
);
