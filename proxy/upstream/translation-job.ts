// The messages between the proxy and a worker that translates a call: plain values, and bytes that are transferred
// without being copied. The functions of a provider are pure, so they return the same in a worker.
import type { IncomingHttpHeaders } from 'node:http';
import { Secret } from '../../common/secret.ts';
import { vendorNames } from '../../common/vendors.ts';
import type { CustomProvider } from '../access/principal.ts';
import { clientFormats } from '../client-formats.ts';
import { FetchedImage, type InlineData } from '../conversation/media.ts';
import { type ErrorCode, GatewayError, type GatewayErrorOptions } from '../errors.ts';
import {
  type ChatRequest,
  type ClientReading,
  parseChatRequest,
  withOutputCeiling,
  withOverrides,
} from '../formats/chat-completions/read-request.ts';
import { completionTokensMax } from '../formats/chat-completions/text-meter.ts';
import type { ClientFormatName, ClientRequest, RequestOverrides } from '../formats/client-format.ts';
import { type CompleteResponse, type VendorError, VendorFailure } from '../formats/format.ts';
import type { Credential, UpstreamRequest } from '../providers/credentials/credential.ts';
import { customProvider } from '../providers/custom.ts';
import { buildRequest, formatOf, type Provider, type ProviderCall } from '../providers/provider.ts';

/** The part of a custom provider's configuration that its provider is made from. */
export type ProviderForm = Pick<CustomProvider, 'id' | 'name' | 'baseUrl' | 'keyForm' | 'passedFields'>;

export interface TranslationJob {
  /** Name of a shipped provider, or the word of a wire format. */
  readonly provider: string;
  /** For a custom provider with this wire format. */
  readonly form: ProviderForm | undefined;
  /** In JSON. */
  readonly request: Uint8Array<ArrayBuffer>;
  /** JavaScript would write every number exactly as it is in the bytes. */
  readonly numbersArePlain: boolean;
  readonly outputCeiling: number | undefined;
  /** Of the route; made after parsing. */
  readonly overrides: RequestOverrides | undefined;
  /** The format of the request, and what it has outside of the body. */
  readonly client: PlainClient | undefined;
  /** Size of the request as received. */
  readonly requestBytes: number;
  readonly call: PlainCall;
  /** Absent: the vendor's request is built. */
  readonly response?: { readonly head: IncomingHttpHeaders; readonly body: Uint8Array<ArrayBuffer> };
}

interface PlainCall extends Pick<ProviderCall, 'model' | 'capabilities' | 'outputTokensMax' | 'now' | 'isGuarded'> {
  /** By URL. Their bytes are transferred, once: a second attempt would have to fetch them again. */
  readonly images: ReadonlyMap<string, PlainImage>;
  readonly target: Omit<ProviderCall['target'], 'provider' | 'credential'>;
  /** By field name of a Credential. */
  readonly credential: Readonly<Record<string, string>>;
}

export interface PlainClient extends Pick<ClientRequest, 'headers' | 'path' | 'store' | 'safetyIdentifier'> {
  readonly format: ClientFormatName;
}

interface PlainImage {
  readonly mediaType: string;
  /** A string is base64. */
  readonly bytes: Uint8Array<ArrayBuffer> | string;
}

export type BuiltRequest = Omit<UpstreamRequest, 'body'> & { readonly body: string | Buffer };

/** A whole response that a worker has read. */
export interface ReadResponse extends CompleteResponse {
  /** The most tokens that its text can consist of. */
  readonly textTokens: number;
}

export interface TranslationOutcome {
  readonly built?: Omit<UpstreamRequest, 'body'> & { readonly body: Uint8Array<ArrayBuffer> };
  readonly read?: Omit<ReadResponse, 'body'> & { readonly body: Uint8Array<ArrayBuffer> };
  readonly failure?: TranslationFailure;
  /** The job's bytes, transferred back. */
  readonly request: Uint8Array<ArrayBuffer>;
}

interface TranslationFailure {
  readonly code?: ErrorCode;
  readonly options?: GatewayErrorOptions;
  readonly vendor?: VendorError;
  /** Logged, never sent. */
  readonly message: string;
}

const shippedNames: ReadonlySet<string> = new Set(vendorNames);

/** Undefined for a provider that is neither shipped nor based on a shipped one. */
export function formOf({ name, madeOf }: Provider): Pick<TranslationJob, 'provider' | 'form'> | undefined {
  if (madeOf === undefined) return shippedNames.has(name) ? { provider: name, form: undefined } : undefined;
  const { id, baseUrl, keyForm, passedFields, wireFormat } = madeOf;
  return {
    provider: wireFormat,
    form: { id, name: madeOf.name, baseUrl, keyForm, ...(passedFields && { passedFields }) },
  };
}

/** The parts of a call that a worker needs. @param images those that are needed */
export function plainCall(
  { target, model, capabilities, outputTokensMax, now, isGuarded }: ProviderCall,
  images: ProviderCall['images'],
): PlainCall {
  const { provider, credential, ...where } = target;
  const revealed = Object.entries(credential).flatMap(([name, secret]: [string, Secret | undefined]) =>
    secret === undefined ? [] : [[name, secret.reveal()] as const],
  );
  return {
    model,
    capabilities: { ...capabilities },
    outputTokensMax,
    now,
    ...(isGuarded !== undefined && { isGuarded }),
    images: new Map([...images].map(([url, image]) => [url, plainImage(image)])),
    target: where,
    credential: Object.fromEntries(revealed),
  };
}

function plainImage(image: InlineData): PlainImage {
  const { mediaType } = image;
  if (image instanceof FetchedImage && image.isGone) throw new Error('an image was handed over before');
  return { mediaType, bytes: image instanceof FetchedImage ? ownBytes(image.bytes) : image.base64 };
}

function imageOf({ mediaType, bytes }: PlainImage): InlineData {
  return typeof bytes === 'string' ? { mediaType, base64: bytes } : new FetchedImage(mediaType, bufferOf(bytes));
}

/** The buffers to transfer with a job. */
export function bytesOf({ request, response, call }: TranslationJob): readonly ArrayBuffer[] {
  const images = [...(call.images?.values() ?? [])].flatMap(({ bytes }) =>
    typeof bytes === 'string' ? [] : [bytes.buffer],
  );
  return [...new Set([request.buffer, ...(response ? [response.body.buffer] : []), ...images])];
}

/** By name, or by the word of the wire format. */
type Shipped = ReadonlyMap<string, Provider>;

/** Runs the job, in the worker. */
export async function translated(job: TranslationJob, shipped: Shipped): Promise<TranslationOutcome> {
  const { request, response } = job;
  try {
    const call = callOf(job, shipped);
    if (response === undefined) {
      const built = await buildRequest(call);
      return { request, built: { ...built, body: ownBytes(Buffer.from(built.body)) } };
    }
    const { head, body } = response;
    const read = formatOf(call).readResponse(call, { head, body: bufferOf(body) });
    const textTokens = read.textTokens ?? completionTokensMax(read.body);
    return { request, read: { ...read, body: ownBytes(read.body), textTokens } };
  } catch (error) {
    return { request, failure: failureOf(error) };
  }
}

function callOf(job: TranslationJob, shipped: Shipped): ProviderCall {
  const { target, credential, images, ...call } = job.call;
  const { numbersArePlain, requestBytes, client } = job;
  const parsed = {
    // The body has no model if the path named it.
    ...parseChatRequest({
      bytes: bufferOf(job.request),
      numbersArePlain,
      modelInPath: call.model,
      client: client && readingOf(client),
    }),
    bytes: requestBytes,
  };
  const secrets = Object.entries(credential).map(([name, value]) => [name, new Secret(value)] as const);
  return {
    ...call,
    images: new Map([...images].map(([url, image]) => [url, imageOf(image)])),
    request: withLimits(parsed, job),
    target: {
      ...target,
      provider: providerOf(job, shipped),
      credential: { apiKey: undefined, ...Object.fromEntries(secrets) } satisfies Credential,
    },
  };
}

function withLimits(
  request: ChatRequest,
  { outputCeiling, overrides }: Pick<TranslationJob, 'outputCeiling' | 'overrides'>,
): ChatRequest {
  const limited = outputCeiling === undefined ? request : withOutputCeiling(request, outputCeiling);
  return overrides === undefined ? limited : withOverrides(limited, overrides);
}

function readingOf({ format, ...client }: PlainClient): ClientReading {
  const { translation } = clientFormats[format];
  if (translation === undefined) throw new Error(`${format} is not translated`);
  return { translation, ...client };
}

function providerOf({ provider, form }: TranslationJob, shipped: Shipped): Provider {
  const base = shipped.get(provider);
  if (base === undefined) throw new Error(`there is no provider ${provider}`);
  return form === undefined ? base : customProvider(base, { ...form, wireFormat: provider, models: [] });
}

/** Without a copy. */
export function bufferOf(bytes: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes that may be transferred. Small buffers are copied, because they share memory with others. */
export function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength > pooledMax && 2 * byteLength >= buffer.byteLength)
    return new Uint8Array(buffer, byteOffset, byteLength);
  return new Uint8Array(bytes);
}

/** An upper bound of Node's pools for small buffers. */
const pooledMax = 128 * 1024;

function failureOf(error: unknown): TranslationFailure {
  if (error instanceof VendorFailure) return { vendor: error.vendor, message: error.message };
  const message = error instanceof Error ? error.message : '';
  if (!(error instanceof GatewayError)) return { message };
  const { code, status, param, isClientParam, retryAfter, hint } = error;
  return {
    code,
    message,
    options: {
      message,
      status,
      hint,
      isClientParam,
      ...(param !== undefined && { param }),
      ...(retryAfter !== undefined && { retryAfter }),
    },
  };
}

/** The error that the function would have thrown here. */
export function errorOf({ code, options, vendor, message }: TranslationFailure): Error {
  if (vendor !== undefined) return new VendorFailure(vendor);
  return code === undefined ? new Error(message) : new GatewayError(code, options);
}
