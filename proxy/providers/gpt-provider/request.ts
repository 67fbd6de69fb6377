// The vendor's request: the caller's body with the vendor's model name, and the usage of a stream always asked for.
import { GatewayError } from '../../errors.ts';
import type { ProviderCall, UpstreamRequest } from '../provider.ts';

export function buildGptRequest(call: ProviderCall): UpstreamRequest {
  const { request, target } = call;
  const key = target.credential.apiKey;
  if (key === undefined)
    throw new GatewayError('no_healthy_target', { cause: new Error('the target has no API key') });
  return {
    origin: target.baseUrl.origin,
    path: `${target.baseUrl.path}/chat/completions`,
    headers: [
      'authorization',
      `Bearer ${key.reveal()}`,
      'content-type',
      'application/json',
      'accept',
      request.stream ? 'text/event-stream' : 'application/json',
      'user-agent',
      'model-gateway',
    ],
    body: JSON.stringify(vendorBody(call)),
  };
}

function vendorBody({ request, model }: ProviderCall): object {
  const body = { ...request.body, model };
  if (!request.stream) return body;
  const options = request.body.stream_options;
  return { ...body, stream_options: { ...(typeof options === 'object' && options), include_usage: true } };
}
