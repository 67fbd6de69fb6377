// A response of the corpus as a caller would get it.
import { parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import type { Provider, ProviderCall } from '../../proxy/providers/provider.ts';
import { goldenCall } from '../support/golden.ts';
import type { CorpusResponse } from './responses.ts';

export const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'Is tea hot?' }] };

export interface Reading {
  readonly provider: Provider;
  readonly call: ProviderCall;
}

export function readingOf({ vendor, model }: CorpusResponse, stream: boolean): Reading {
  const provider = providersByName.get(vendor);
  if (provider === undefined) throw new Error(`there is no provider ${vendor}`);
  const body = {
    ...{ ...ask, model, stream },
    ...(stream && { stream_options: { include_usage: true } }),
    ...(vendor === 'search-provider' && { web_search_options: {} }),
  };
  return { provider, call: goldenCall(provider, parseChatRequest(Buffer.from(JSON.stringify(body)))) };
}

/** Its JSON text. */
export function wholeOf(response: CorpusResponse): string {
  const { provider, call } = readingOf(response, false);
  return provider.format.readResponse(call, { head: {}, body: Buffer.from(response.whole) }).body.toString();
}

export function completionOf(response: CorpusResponse): unknown {
  return JSON.parse(wholeOf(response));
}
