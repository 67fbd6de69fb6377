// Reads the vendor's errors. The type is in a header or in the body, the message in the body under one of two
// spellings. The same types occur as exceptions inside a stream. One table maps the types to kinds.
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, parseJson } from '../../../common/json.ts';
import type { VendorError } from '../format.ts';
import { type ErrorKind, kindOfStatus, vendorError } from '../vendor-error.ts';

export function readConverseError(status: number, body: Buffer, head: IncomingHttpHeaders): VendorError {
  const parsed = parseJson(body.toString());
  const fields = isObject(parsed) ? parsed : {};
  const type = typeName(head['x-amzn-errortype']) ?? typeName(fields.__type);
  return converseError({ status, type, message: messageOf(fields) });
}

export interface ConverseErrorFacts {
  /** Undefined inside a stream. */
  readonly status?: number;
  /** `ThrottlingException`; inside a stream the first letter is lower case. */
  readonly type: string | undefined;
  readonly message: string | undefined;
}

export function converseError({ status = 500, type = '', message }: ConverseErrorFacts): VendorError {
  const known = types.get(type.toLowerCase());
  const kind = known?.kind ?? kindOfStatus(status);
  const refined = message === undefined ? kind : closerKind(kind, message);
  const error = vendorError(refined === 'forbidden' && isKeyRefusal(message) ? 'bad_key' : refined, {
    message: message === undefined ? undefined : forCaller(message),
  });
  return known === undefined ? error : { ...error, type: known.type };
}

export function messageOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const message = body.message ?? body.Message;
  return typeof message === 'string' && message !== '' ? message : undefined;
}

const kindsByType = {
  ValidationException: 'bad_request',
  SerializationException: 'bad_request',
  ConflictException: 'bad_request',
  AccessDeniedException: 'forbidden',
  UnrecognizedClientException: 'bad_key',
  InvalidClientTokenId: 'bad_key',
  InvalidSignatureException: 'bad_key',
  SignatureDoesNotMatch: 'bad_key',
  ExpiredToken: 'bad_key',
  ExpiredTokenException: 'bad_key',
  MissingAuthenticationToken: 'bad_key',
  MissingAuthenticationTokenException: 'bad_key',
  IncompleteSignature: 'bad_key',
  IncompleteSignatureException: 'bad_key',
  RequestExpired: 'bad_key',
  ResourceNotFoundException: 'no_model',
  ServiceQuotaExceededException: 'no_credit',
  ThrottlingException: 'rate_limited',
  ModelNotReadyException: 'overloaded',
  ModelTimeoutException: 'timed_out',
  ModelErrorException: 'bad_gateway',
  ModelStreamErrorException: 'bad_gateway',
  InternalServerException: 'failed',
  InternalFailure: 'failed',
  ServiceUnavailableException: 'overloaded',
} as const satisfies Record<string, ErrorKind>;

const types: ReadonlyMap<string, { readonly type: string; readonly kind: ErrorKind }> = new Map(
  Object.entries(kindsByType).map(([type, kind]) => [type.toLowerCase(), { type, kind }]),
);

/** Errors whose message shows a more specific kind than their type. */
const closer: readonly (readonly [ErrorKind, RegExp, ErrorKind])[] = [
  [
    'bad_request',
    /input is too long|prompt is too long|too many input tokens|exceed\w* (?:the )?(?:model's )?(?:maximum )?context|maximum context length|context window/i,
    'context_too_long',
  ],
  ['bad_request', /model identifier is invalid|could not resolve the foundation model/i, 'no_model'],
  // A daily quota has the type of the limits by the minute: waiting a minute does not help.
  ['rate_limited', /too many (?:tokens|requests) per day/i, 'no_credit'],
];

function closerKind(kind: ErrorKind, message: string): ErrorKind {
  return closer.find(([of, form]) => of === kind && form.test(message))?.[2] ?? kind;
}

/** The vendor reports a wrong API key as a missing permission. */
function isKeyRefusal(message = ''): boolean {
  return /api key/i.test(message);
}

function forCaller(message: string): string {
  // After a refused signature, the following lines quote everything that was signed, including the session token.
  const firstLine = message.split('\n', 1)[0] ?? '';
  return /on-demand throughput/i.test(firstLine)
    ? `${firstLine} Such a profile's id is the model's with a prefix, for example us. or global.`
    : firstLine;
}

/** `com.amazon.coral.validate#ValidationException:http://internal…` → `ValidationException` */
export function typeName(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.split(':', 1)[0] ?? '';
  return name.slice(name.lastIndexOf('#') + 1);
}
