// Refusals in the vendor's types, statuses and texts, as its documentation and users quote them. A header carries the
// type, then a colon and the address of the refusing layer; the body contains the message.
import type { Json } from '../checks.ts';

export interface VendorError {
  readonly type: string;
  readonly message: string;
  /** Further members of the body, which a few errors have. */
  readonly extra?: Json;
}

/** `service` is the API itself. `framework` parses requests before it, and writes `Message` with a capital. */
export type Layer = 'service' | 'framework';

export class Refusal extends Error {
  readonly status: number;
  readonly error: VendorError;
  readonly layer: Layer;

  constructor(status: number, error: VendorError, layer: Layer = 'service') {
    super(error.message);
    this.name = 'Refusal';
    this.status = status;
    this.error = error;
    this.layer = layer;
  }
}

export function invalid(message: string): Refusal {
  return new Refusal(400, { type: 'ValidationException', message });
}

/** A refusal by the model, which the service passes on. */
export function modelRefuses(message: string): Refusal {
  return invalid(`The model returned the following errors: ${message}`);
}

export function malformedInput(what: string): Refusal {
  return invalid(malformed(what));
}

export function malformedForModel(what: string): Refusal {
  return modelRefuses(malformed(what));
}

function malformed(what: string): string {
  return `Malformed input request: ${what}, please reformat your input and try again.`;
}

export function unsupportedField(field: string): Refusal {
  return invalid(`This model doesn't support the ${field} field. Remove ${field} and try again.`);
}

/** A body that cannot be parsed into the operation's types. */
export function unreadable(message: string): Refusal {
  return new Refusal(400, { type: 'SerializationException', message }, 'framework');
}

export function errorBody({ message, extra }: VendorError, layer: Layer = 'service'): Json {
  return layer === 'framework' ? { Message: message } : { message, ...extra };
}

export function errorTypeHeader({ type }: VendorError, layer: Layer = 'service'): string {
  const speaker = layer === 'framework' ? 'com.amazon.coral.service' : 'com.amazon.bedrock';
  return `${type}:http://internal.amazon.com/coral/${speaker}/`;
}

/** The vendor's usual error of a status or a type, for scripted errors. */
export function usualError(status: number, type?: string): VendorError {
  const usual = type ?? typeOfStatus[status] ?? (status >= 500 ? 'InternalServerException' : 'ValidationException');
  return { type: usual, message: usualMessages[usual] ?? 'The request was refused.' };
}

const typeOfStatus: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

const usualMessages: Readonly<Record<string, string>> = {
  ValidationException: 'The input fails to satisfy the constraints specified by the service.',
  AccessDeniedException: "You don't have access to the model with the specified model ID.",
  ResourceNotFoundException: 'Could not resolve the foundation model from the provided model identifier.',
  ModelTimeoutException: 'Model has timed out in processing the request. Try your request again.',
  ModelErrorException: 'The system encountered an unexpected error during processing. Try your request again.',
  ModelStreamErrorException: 'The system encountered an unexpected error during processing. Try your request again.',
  ModelNotReadyException: 'Model is not ready for inference. Wait and try your request again.',
  ThrottlingException: 'Too many requests, please wait before trying again.',
  ServiceQuotaExceededException: 'Your request exceeds the service quota for your account.',
  InternalServerException: 'The system encountered an unexpected error during processing. Try your request again.',
  ServiceUnavailableException: 'Bedrock is unable to process your request.',
};
