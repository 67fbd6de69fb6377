// Errors for clients of Converse and InvokeModel. The SDK selects its error class by the header `x-amzn-errortype`, and
// inside of a stream by the type of an exception frame. Source: SDK types `BedrockRuntimeServiceException`,
// `ConverseStreamOutput`, `ResponseStream`.
import type { PublicError } from '../client-format.ts';
import { statusWords } from '../status-words.ts';
import { exceptionFrame } from './frames.ts';

export function writeConverseError({ message, code, hint }: PublicError): object {
  return { message, code, hint };
}

/** Only this format's vendor names a type, and its clients get that name. */
export function converseErrorHeaders({ status, type }: PublicError): readonly string[] {
  return ['x-amzn-errortype', type ?? typeOf(status)];
}

export function writeConverseStreamError(error: PublicError): Buffer {
  const type = streamTypes.get(error.type) ?? streamTypeOf(error.status);
  return exceptionFrame(type, JSON.stringify(writeConverseError(error)));
}

/** The types that a stream can have in both APIs (SDK types `ConverseStreamOutput`, `ResponseStream`). */
const streamTypes: ReadonlyMap<string | undefined, string> = new Map([
  ['InternalServerException', 'internalServerException'],
  ['ModelStreamErrorException', 'modelStreamErrorException'],
  ['ServiceUnavailableException', 'serviceUnavailableException'],
  ['ThrottlingException', 'throttlingException'],
  ['ValidationException', 'validationException'],
]);

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
