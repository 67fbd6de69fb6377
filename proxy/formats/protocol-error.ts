// The error for a vendor's response that cannot be read. The response is at fault, not the request.
import { GatewayError } from '../errors.ts';

/** @param why for the log; the caller gets only the error's code and its standard message */
export function protocolError(why: string, cause?: unknown): GatewayError {
  return new GatewayError('upstream_protocol_error', { cause: new Error(why, { cause }) });
}
