// A provider and its simulated vendor without a network between them: the proxy's call, and the vendor's response to
// the request that is built from it. For tests with thousands of requests.
import { Secret } from '../../common/secret.ts';
import { CapabilityTable } from '../../proxy/catalog/capabilities.ts';
import { findModel } from '../../proxy/catalog/models.ts';
import type { InlineData } from '../../proxy/conversation/media.ts';
import { imageUrls } from '../../proxy/formats/chat-completions/read-content.ts';
import { type ChatRequest, parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import type { ClientFormat } from '../../proxy/formats/client-format.ts';
import { parseBaseUrl } from '../../proxy/formats/format.ts';
import { noOwnTools } from '../../proxy/formats/own-tools.ts';
import type { Credential, UpstreamRequest } from '../../proxy/providers/credentials/credential.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import type { Provider, ProviderCall } from '../../proxy/providers/provider.ts';
import type { Behaviour } from '../../simulator/behaviour.ts';
import { createMemory } from '../../simulator/memory.ts';
import { type VendorName, vendors } from '../../simulator/vendors.ts';
import type { SimulatedResponse } from '../../simulator/wire-format.ts';
import { png } from './png.ts';
import { region, storedKeys } from './vendors.ts';

/** 2026-11-20T12:00:00Z */
const now = 1_795_176_000_000;
const host = 'vendor.test';
const capabilities = new CapabilityTable();

/** The result of fetching an image. */
const fetchedImage: InlineData = { mediaType: 'image/png', base64: png };

function providerOf(vendor: VendorName): Provider {
  const provider = providersByName.get(vendor);
  if (provider === undefined) throw new Error(`there is no provider ${vendor}`);
  return provider;
}

/**
 * @param body of a chat request, as the caller sends it; a text is the whole body, including the model
 * @param dialect further path of the vendor's base URL
 * @throws GatewayError invalid_request
 */
export function callOf(vendor: VendorName, model: string, body: object | string, dialect = ''): ProviderCall {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify({ model, ...body }));
  return callWith(parseChatRequest(bytes), { vendor, model, dialect });
}

export interface ClientBody {
  readonly format: ClientFormat;
  /** Without the model. Some formats have `stream` in the path. */
  readonly body: object;
  /** Default: as in the body. */
  readonly stream?: boolean;
  /** Alternating names and values, for a vendor of the same format. */
  readonly headers?: readonly string[];
}

/** The formats that have the model in the path. */
const pathFormats: ReadonlySet<string> = new Set(['generate_content', 'converse', 'invoke']);

/**
 * The call of a client with its own format, on a route without a provider's name.
 * @throws GatewayError invalid_request, unsupported_parameter
 */
export function clientCallOf(vendor: VendorName, model: string, sent: ClientBody): ProviderCall {
  const { format, body, headers = [], stream = 'stream' in body && body.stream === true } = sent;
  const { translation } = format;
  const hasPath = translation !== undefined && pathFormats.has(translation.name);
  const bytes = Buffer.from(JSON.stringify(hasPath ? body : { model, ...body }));
  const request = parseChatRequest({
    bytes,
    numbersArePlain: false,
    modelInPath: hasPath ? model : undefined,
    client: translation && { translation, headers, path: { stream: hasPath ? stream : undefined } },
  });
  return callWith(request, { vendor, model, dialect: vendor === 'studio-ai' ? '/models' : '' });
}

interface Called {
  readonly vendor: VendorName;
  readonly model: string;
  readonly dialect: string;
}

function callWith(request: ChatRequest, { vendor, model, dialect }: Called): ProviderCall {
  const provider = providerOf(vendor);
  const urls = provider.fetchesImages ? imageUrls(request.messages) : [];
  return {
    request,
    model,
    capabilities: capabilities.of(vendor, model),
    outputTokensMax: findModel(vendor, model)?.limits.maxOutputTokens,
    target: {
      provider,
      baseUrl: parseBaseUrl(`https://${host}${vendors[vendor].basePath}${dialect}`),
      credential: credentialOf(vendor),
      providerKeyId: 'stored',
      ownTools: noOwnTools,
      region,
      apiVersion: undefined,
    },
    now,
    images: new Map(urls.map((url) => [url, fetchedImage])),
  };
}

function credentialOf(vendor: VendorName): Credential {
  const { secret } = storedKeys[vendor];
  // All other vendors accept a key in the simulator's own form.
  if ('apiKey' in secret) return { apiKey: new Secret('sk-sim-in-process') };
  const { accessKeyId, secretAccessKey } = secret;
  return {
    apiKey: undefined,
    accessKeyId: new Secret(accessKeyId),
    secretAccessKey: new Secret(secretAccessKey),
  };
}

export interface Requester {
  readonly behaviour?: Behaviour | undefined;
  /** Ids of responses depend on it. */
  readonly sequence?: number;
}

export function askVendor(vendor: VendorName, request: UpstreamRequest, wanted: Requester = {}): SimulatedResponse {
  const [path = '', query = ''] = request.path.split(/\?(.*)/s);
  return vendors[vendor].respond(
    { method: 'POST', path, query, headers: headersOf(request), body: Buffer.from(request.body) },
    {
      keys: new Set(),
      scripted: () => wanted.behaviour,
      now: Math.floor(now / 1000),
      sequence: wanted.sequence ?? 1,
      memory: createMemory(),
    },
  );
}

function headersOf({ headers, body }: UpstreamRequest): Record<string, string> {
  const entries: Record<string, string> = { host, 'content-length': String(Buffer.byteLength(body)) };
  for (let at = 0; at + 1 < headers.length; at += 2) {
    entries[(headers[at] ?? '').toLowerCase()] = headers[at + 1] ?? '';
  }
  return entries;
}

/** The response's bytes, part by part. */
export function partsOf({ parts, behaviour }: SimulatedResponse): Buffer[] {
  if (behaviour.body !== undefined) return [Buffer.from(behaviour.body)];
  return Array.from(parts, (part) => (typeof part === 'string' ? Buffer.from(part) : part));
}
