// The studio's request: a body as its dialect has it, and the key where that dialect looks for it.

import type { ProviderCall, Target, UpstreamRequest } from '../../../providers/provider.ts';
import { apiKeyOf, commonHeaders } from '../../../providers/vendor-request.ts';
import { passedBody } from '../pass-request.ts';
import { type Dialect, type Endpoint, endpointOf } from './dialects.ts';
import { type InferenceBody, inferenceBody } from './inference.ts';
import { plainConversation, plainMessages } from './messages.ts';

/** @throws GatewayError invalid_request, unsupported_parameter, no_healthy_target */
export function buildStudioRequest(call: ProviderCall): UpstreamRequest {
  const { request, model, target, traits } = call;
  const endpoint = endpointOf(target, model, traits);
  const { dialect, path } = endpoint;
  const { body, dropped, emulated, holdsExtra } =
    dialect.schema === 'gpt' ? gptBody(call, endpoint) : inferenceBody(call);
  return {
    origin: target.baseUrl.origin,
    path,
    headers: [
      ...keyHeaders(target, dialect),
      ...commonHeaders(request.stream),
      ...(holdsExtra ? ['extra-parameters', 'pass-through'] : []),
    ],
    body: JSON.stringify(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
  };
}

function gptBody(call: ProviderCall, { version }: Endpoint): InferenceBody {
  const { body, dropped, emulated: passed } = passedBody(call);
  const plain = call.traits.plainTurns ? plainConversation(call.request, call.traits) : undefined;
  if (plain !== undefined) body.messages = plainMessages(plain.conversation, call.traits);
  const { emulated } = plain ?? { emulated: passed };
  if (version !== undefined && version < streamOptionsSince) delete body.stream_options;
  return { body, dropped, emulated, holdsExtra: false };
}

/** Older versions refuse the field, and tell no usage of streams. */
const streamOptionsSince = '2024-09-01-preview';

function keyHeaders(target: Target, { keyHeader }: Dialect): string[] {
  const key = apiKeyOf(target);
  const asBearer = ['authorization', `Bearer ${key}`];
  if (keyHeader === 'authorization' || isToken(key)) return asBearer;
  // The caller's own came as a bearer token, which not every dialect takes of a plain key: the vendor's SDK sends both as well.
  return target.providerKeyId === undefined ? ['api-key', key, ...asBearer] : ['api-key', key];
}

/** Of the directory: JSON in base64url at its head. */
function isToken(key: string): boolean {
  return key.startsWith('eyJ');
}
