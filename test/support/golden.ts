// One case of golden files: a request and a vendor's response, stream or error, read through a provider as the proxy
// would.
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { Secret } from '../../common/secret.ts';
import { CapabilityTable } from '../../proxy/catalog/capabilities.ts';
import { findModel } from '../../proxy/catalog/models.ts';
import type { InlineData } from '../../proxy/conversation/media.ts';
import { type ChatRequest, parseChatRequest } from '../../proxy/formats/chat-completions/read-request.ts';
import { parseBaseUrl, type StreamReader, VendorFailure } from '../../proxy/formats/format.ts';
import { allOwnTools, noOwnTools } from '../../proxy/formats/own-tools.ts';
import type { Credential } from '../../proxy/providers/credentials/credential.ts';
import { buildRequest, type Provider, type ProviderCall } from '../../proxy/providers/provider.ts';
import { framesOf } from './cloud-frames.ts';

export interface GoldenCase {
  readonly folder: string;
  readonly files: ReadonlySet<string>;
  readonly responseFile: string | undefined;
  readonly streamFile: string | undefined;
  /** The request to the vendor, with its body as JSON, without credentials and signatures. */
  upstream(): Promise<object>;
  completion(): unknown;
  /** The attempt whose response the vendor's bytes are, and the headers of that response. */
  readonly call: ProviderCall;
  readonly head: IncomingHttpHeaders;
  response(): Buffer;
  streamBytes(): Buffer;
  openStream(): StreamReader;
  /** All chunks to the caller, and how the stream ended. */
  chunks(): string;
  vendorError(): object;
}

/** 2026-11-20T12:00:00Z */
export const goldenNow = 1_795_176_000_000;
const credential: Credential = { apiKey: new Secret('golden-key') };
const cloudKeys: Credential = {
  apiKey: undefined,
  accessKeyId: new Secret('AKIAGOLDEN'),
  secretAccessKey: new Secret('golden-secret'),
};
const secretHeaders = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']);

/** The request of a case without one of its own. */
const plainRequest = { model: 'model', messages: [{ role: 'user', content: 'Hi' }] };

export function openGoldenCase(folder: string, provider: Provider): GoldenCase {
  const files = new Set(readdirSync(folder));
  const read = (file: string) => readFileSync(join(folder, file));
  const readJson = (file: string): unknown => (files.has(file) ? JSON.parse(read(file).toString()) : undefined);
  const named = (prefix: string) => [...files].find((file) => file.startsWith(`${prefix}.`));
  const responseFile = named('answer');
  const streamFile = named('stream');
  const head = (readJson('head.json') ?? {}) as IncomingHttpHeaders;
  const request = parseChatRequest(
    Buffer.from(JSON.stringify(readJson('request.json') ?? { ...plainRequest, stream: streamFile !== undefined })),
  );
  const call = targetedAt(
    readJson('target.json') as GoldenTarget | undefined,
    goldenCall(provider, request, readJson('images.json') as Record<string, InlineData> | undefined),
  );
  const openStream = () => provider.format.openStream(call, head, { eventBytesMax: 1024 * 1024 });
  const streamBytes = () =>
    streamFile === 'stream.jsonl' ? framesOf(read(streamFile).toString()) : read(streamFile ?? '');
  return {
    folder,
    files,
    responseFile,
    streamFile,
    call,
    head,
    upstream: async () => {
      const built = await buildRequest(call);
      const { path, headers, body, dropped = [], emulated, maxTokens } = built;
      return { path, headers: shown(headers), dropped, emulated, maxTokens, body: JSON.parse(body) };
    },
    completion: () => {
      try {
        const { body, usage } = provider.format.readResponse(call, { head, body: read(responseFile ?? '') });
        return { ...JSON.parse(body.toString()), '(usage)': usage };
      } catch (error) {
        if (error instanceof VendorFailure) return { '(failure)': error.vendor };
        throw error;
      }
    },
    response: () => read(responseFile ?? ''),
    streamBytes,
    openStream,
    chunks: () => readInPieces(openStream(), [streamBytes()]),
    vendorError: () => {
      const error = readJson('error.json') as { status: number; head?: IncomingHttpHeaders; body: unknown };
      const body = typeof error.body === 'string' ? error.body : JSON.stringify(error.body);
      return provider.format.readError(error.status, Buffer.from(body), error.head ?? {});
    },
  };
}

/** An attempt at the vendor itself, whose request has the vendor's name of the model. */
export function goldenCall(
  provider: Provider,
  request: ChatRequest,
  images: Readonly<Record<string, InlineData>> = {},
): ProviderCall {
  const { model } = request;
  const target = {
    provider,
    baseUrl: parseBaseUrl(provider.defaultBaseUrl.replace('{endpoint}', 'golden').replace('{region}', 'eu-west-1')),
    credential: provider.routeCredential === 'cloud-keys' ? cloudKeys : credential,
    providerKeyId: 'golden',
    ownTools: noOwnTools,
    region: 'eu-west-1',
    apiVersion: undefined,
  };
  const capabilities = new CapabilityTable().of(provider.name, model);
  const outputTokensMax = findModel(provider.name, model)?.limits.maxOutputTokens;
  return {
    request,
    model,
    capabilities,
    outputTokensMax,
    target,
    now: goldenNow,
    images: new Map(Object.entries(images)),
  };
}

/** Target of a case that does not use the vendor's default URL or a stored key. */
export interface GoldenTarget {
  readonly baseUrl?: string;
  readonly apiVersion?: string;
  readonly ownKey?: boolean;
}

export function targetedAt(wanted: GoldenTarget = {}, call: ProviderCall): ProviderCall {
  const { baseUrl, apiVersion, ownKey = false } = wanted;
  const target = {
    ...call.target,
    ...(baseUrl !== undefined && { baseUrl: parseBaseUrl(baseUrl) }),
    apiVersion,
    ...(ownKey && { providerKeyId: undefined, ownTools: allOwnTools }),
  };
  return { ...call, target };
}

/** The caller's bytes of a stream that arrives in these pieces; the last line says how it ended. */
export function readInPieces(reader: StreamReader, pieces: readonly Buffer[]): string {
  const reported: Buffer[] = [];
  for (const piece of pieces) {
    if (reader.complete || reader.failure !== undefined) break;
    reported.push(reader.push(piece));
  }
  if (!reader.complete && reader.failure === undefined) reported.push(reader.end());
  const { complete, failure, usage, usageIsComplete, model, textTokens } = reader;
  return `${Buffer.concat(reported).toString()}: ${JSON.stringify({ complete, failure, usage, usageIsComplete, model, textTokens })}\n`;
}

function shown(headers: readonly string[]): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? '';
    pairs.push([name, secretHeaders.has(name) ? '(credential)' : (headers[i + 1] ?? '')]);
  }
  return Object.fromEntries(pairs);
}
