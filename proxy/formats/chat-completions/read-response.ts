// A complete answer in the callers' format (SDK type `ChatCompletion`), read as far as the gateway needs it.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Usage } from '../../conversation/usage.ts';
import { type VendorError, VendorFailure } from '../format.ts';
import { protocolError } from '../protocol-error.ts';
import type { ChatFormatCall } from './read-request.ts';
import { passedUsage, piecesIn, requestedUsage } from './usage.ts';

export interface ReadCompletion {
  readonly answer: JsonObject;
  readonly choices: readonly unknown[];
  readonly usage: Usage | undefined;
  readonly model: string | undefined;
}

/**
 * @param answer parsed; exactly where something of it is written again
 * @param readError judges what the vendor says in place of an answer
 * @throws GatewayError upstream_protocol_error, VendorFailure
 */
export function readCompletion(
  { request }: ChatFormatCall,
  answer: unknown,
  readError: (told: JsonObject) => VendorError,
): ReadCompletion {
  if (isObject(answer) && Array.isArray(answer.choices)) {
    const { choices, model } = answer;
    const asked = requestedUsage(request);
    const usage = passedUsage(answer, asked, piecesIn(choices, asked));
    return { answer, choices, usage, model: modelName(model) };
  }
  if (isObject(answer) && isErrorBody(answer)) throw new VendorFailure(readError(answer));
  throw protocolError('the answer is no chat completion');
}

/** Empty in what some servers send before the model has said anything. */
export function modelName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether an answer or a stream's event is an error: `{"error":…}`, or `{"object":"error",…}` of some model servers. */
export function isErrorBody({ error, object }: JsonObject): boolean {
  return (error !== undefined && error !== null) || object === 'error';
}
