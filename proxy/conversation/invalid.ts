// Refusals of a request's fields, each naming the field as the caller wrote it.
import { GatewayError } from '../errors.ts';

/** @param param such as `messages[0].content`; undefined for the body as a whole */
export function invalid(param: string | undefined, message: string): GatewayError {
  return new GatewayError('invalid_request', { message, ...(param !== undefined && { param }) });
}

/** A field that the target does not support, and without which the caller would misread the response. */
export function unsupported(param: string, message: string): GatewayError {
  return new GatewayError('unsupported_parameter', { param, message });
}
