// What a vendor sent cannot be read: the failure of a response, not of the request.
import { GatewayError } from '../errors.ts';

/** @param why for the log: the caller gets no more than the code says */
export function protocolError(why: string, cause?: unknown): GatewayError {
  return new GatewayError('upstream_protocol_error', { cause: new Error(why, { cause }) });
}
