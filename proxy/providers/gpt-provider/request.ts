// The vendor's request: the caller's body as it came, but for what only the gateway knows (see passthrough/request.ts).
import { GatewayError } from '../../errors.ts';
import { commonHeaders, passedBody } from '../passthrough/request.ts';
import type { ProviderCall, UpstreamRequest } from '../provider.ts';

export function buildGptRequest(call: ProviderCall): UpstreamRequest {
  const { request, target } = call;
  const key = target.credential.apiKey;
  if (key === undefined)
    throw new GatewayError('no_healthy_target', { cause: new Error('the target has no API key') });
  const { body, dropped } = passedBody(call);
  return {
    origin: target.baseUrl.origin,
    path: `${target.baseUrl.path}/chat/completions`,
    headers: ['authorization', `Bearer ${key.reveal()}`, ...commonHeaders(request.stream)],
    body: JSON.stringify(body),
    dropped,
  };
}
