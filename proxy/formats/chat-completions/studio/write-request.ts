// Writes the studio's request, with the body of its dialect.
import { commonHeaders, type WrittenRequest } from '../../format.ts';
import type { ChatFormatCall } from '../read-request.ts';
import { passedBody } from '../write-request.ts';
import { type Endpoint, endpointOf } from './dialects.ts';
import { type InferenceBody, inferenceBody } from './inference.ts';
import { plainConversation, plainMessages } from './messages.ts';

/** @throws GatewayError invalid_request, unsupported_parameter */
export function writeStudioRequest(call: ChatFormatCall): WrittenRequest {
  const { request, model, target, capabilities } = call;
  const endpoint = endpointOf(target, model, capabilities);
  const { body, dropped, emulated, hasExtra } =
    endpoint.dialect.schema === 'gpt' ? gptBody(call, endpoint) : inferenceBody(call);
  return {
    headers: [...commonHeaders(request.stream), ...(hasExtra ? ['extra-parameters', 'pass-through'] : [])],
    body: JSON.stringify(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
  };
}

function gptBody(call: ChatFormatCall, { version }: Endpoint): InferenceBody {
  const { body, dropped, emulated: passed } = passedBody(call);
  const plain = call.capabilities.plainTurns ? plainConversation(call.request, call.capabilities) : undefined;
  if (plain !== undefined) body.messages = plainMessages(plain.conversation, call.capabilities);
  const { emulated } = plain ?? { emulated: passed };
  if (version !== undefined && version < streamOptionsSince) delete body.stream_options;
  return { body, dropped, emulated, hasExtra: false };
}

/** Older versions refuse `stream_options` and report no usage in streams. */
const streamOptionsSince = '2024-09-01-preview';
