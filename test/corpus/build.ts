// Builds the request that a vendor would get for a request of the corpus.
import { parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import type { UpstreamRequest } from '../../proxy/providers/credentials/credential.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import { buildRequest } from '../../proxy/providers/provider.ts';
import type { VendorName } from '../../simulator/vendors.ts';
import { goldenCall } from '../support/golden.ts';
import { png } from '../support/png.ts';
import { plainModels } from '../support/vendors.ts';
import type { Json } from './requests.ts';

/** Images that the gateway would have fetched. */
const images = { 'https://images.test/a.png': { mediaType: 'image/png', base64: png } };

/** @throws GatewayError where the vendor cannot take a part of the request */
export async function builtFor(
  vendor: VendorName,
  body: Json,
  model: string = plainModels[vendor],
): Promise<UpstreamRequest> {
  const provider = providersByName.get(vendor);
  if (provider === undefined) throw new Error(`there is no provider ${vendor}`);
  const request = parseChatRequest(Buffer.from(JSON.stringify({ model, ...body })));
  return buildRequest(goldenCall(provider, request, images));
}
