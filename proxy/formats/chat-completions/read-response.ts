// Reads the fields that the gateway needs from a whole response in the callers' format (SDK type `ChatCompletion`).
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Usage } from '../../conversation/usage.ts';
import { type VendorError, VendorFailure } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import type { ChatFormatCall } from './read-request.ts';
import { passedUsage, piecesIn, requestedUsage } from './usage.ts';

export interface ReadCompletion {
  readonly response: JsonObject;
  readonly choices: readonly unknown[];
  readonly usage: Usage | undefined;
  readonly model: string | undefined;
}

/**
 * @param response parsed, with exact numbers if any part of it is written again
 * @param readError classifies an error that was sent instead of a response
 * @throws GatewayError upstream_protocol_error, VendorFailure
 */
export function readCompletion(
  { request }: ChatFormatCall,
  response: unknown,
  readError: (reported: JsonObject) => VendorError,
): ReadCompletion {
  if (isObject(response) && Array.isArray(response.choices)) {
    const { choices, model } = response;
    const requested = requestedUsage(request);
    const usage = passedUsage(response, requested, piecesIn(choices, requested));
    return { response, choices, usage, model: modelName(model) };
  }
  if (isObject(response) && isErrorBody(response)) throw new VendorFailure(readError(response));
  throw protocolError('the response is no chat completion');
}

/** Undefined if empty: some servers send an empty name before the model has written anything. */
export function modelName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a response or a stream event is an error: `{"error":…}`, or `{"object":"error",…}` of some model servers. */
export function isErrorBody({ error, object }: JsonObject): boolean {
  return (error !== undefined && error !== null) || object === 'error';
}
