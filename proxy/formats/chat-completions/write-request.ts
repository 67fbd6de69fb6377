// The vendor's request: the caller's body as it came, but for what only the gateway knows (see pass-request.ts).
import { commonHeaders, type WrittenRequest } from '../format.ts';
import { passedBody } from './pass-request.ts';
import type { ChatFormatCall } from './read-request.ts';

export function writeChatRequest(call: ChatFormatCall): WrittenRequest {
  const { body, dropped, emulated } = passedBody(call);
  return {
    headers: commonHeaders(call.request.stream),
    body: JSON.stringify(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
  };
}
