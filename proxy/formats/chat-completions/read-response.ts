// A whole response in the callers' format (SDK type `ChatCompletion`), read as far as the gateway needs it.
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
 * @param response parsed; exactly where something of it is written again
 * @param readError classifies what comes in place of a response
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

/** Empty in what some servers send before the model has written anything. */
export function modelName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a response or a stream's event is an error: `{"error":…}`, or `{"object":"error",…}` of some model servers. */
export function isErrorBody({ error, object }: JsonObject): boolean {
  return (error !== undefined && error !== null) || object === 'error';
}
