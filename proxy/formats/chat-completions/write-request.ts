// The vendor's request: the caller's body unchanged, except for what only the gateway knows (see pass-request.ts).

import type { ProviderCall, UpstreamRequest } from '../../providers/provider.ts';
import { apiKeyOf, commonHeaders } from '../../providers/vendor-request.ts';
import { passedBody } from './pass-request.ts';

export function buildGptRequest(call: ProviderCall): UpstreamRequest {
  const { request, target } = call;
  const { body, dropped, emulated } = passedBody(call);
  return {
    origin: target.baseUrl.origin,
    path: `${target.baseUrl.path}/chat/completions`,
    headers: ['authorization', `Bearer ${apiKeyOf(target)}`, ...commonHeaders(request.stream)],
    body: JSON.stringify(body),
    dropped,
    ...(emulated.length > 0 && { emulated }),
  };
}
