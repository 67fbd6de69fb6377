// What every provider implements: pure functions from the common shape to the vendor's wire format and back. A provider
// opens no connection, reads no clock and keeps no state between requests; the attempt loop in upstream/ does the rest.
import type { IncomingHttpHeaders } from 'node:http';
import type { Secret } from '../../common/secret.ts';
import type { CustomProvider } from '../access/principal.ts';
import type { Traits } from '../catalog/capabilities.ts';
import type { InlineData } from '../conversation/media.ts';
import type { CostText, Usage } from '../conversation/usage.ts';
import type { PassesField } from '../formats/chat-completions/passed-fields.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';

export interface Provider {
  /** Canonical name: in logs, metrics and model ids. */
  readonly name: string;
  /** As common/vendors.ts has them; none of a custom provider. */
  readonly aliases: readonly string[];
  /** `{endpoint}` and `{region}` in it stand for what the provider key or the caller's headers say. */
  readonly defaultBaseUrl: string;
  /** How the provider's own route carries the caller's credential. */
  readonly routeCredential: 'bearer' | 'plain' | 'cloud-keys';
  /** Of a server without keys: stands in a target for the id of a stored provider key. Absent: keys are needed. */
  readonly keylessId?: string;
  /** Whether images given by URL must be fetched by the gateway, because the vendor takes bytes only. */
  readonly fetchesImages: boolean;
  /** Of a provider that is configuration: what it was made of. */
  readonly madeOf?: CustomProvider;
  /** Media type of a streamed answer. */
  readonly streamType: 'text/event-stream' | 'application/vnd.amazon.eventstream';
  /**
   * Whether a field of the body goes on where the body is passed as it came; absent where a translator names what it takes, and nothing
   * else goes on.
   */
  readonly passesField?: PassesField;
  /**
   * Whether the vendor stops generating, and charging, when a stream of it is cancelled. No vendor promises it: true only where a
   * source says that it does. Nobody says it of a whole response.
   */
  readonly streamStops: Sourced<boolean>;
  /**
   * One attempt's request; a promise only where signing needs one.
   * @throws GatewayError unsupported_parameter, invalid_request
   */
  buildRequest(call: ProviderCall): UpstreamRequest | Promise<UpstreamRequest>;
  /** Reads a complete answer of status 2xx. @throws GatewayError upstream_protocol_error; a VendorFailure for an error in it */
  readAnswer(call: ProviderCall, answer: VendorAnswer): CompleteAnswer;
  /** Starts reading a streamed answer of status 2xx. */
  openStream(call: ProviderCall, head: IncomingHttpHeaders, limits: StreamLimits): StreamReader;
  /** Reads an answer of any other status; any bytes may come. */
  readError(status: number, body: Buffer, head: IncomingHttpHeaders): VendorError;
}

/** Something that a vendor does not promise: who says it, and when that was read (ISO date). */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
  readonly asOf: string | undefined;
}

/** One attempt: the inspected request and the target it goes to. */
export interface ProviderCall {
  readonly request: ChatRequest;
  /** The vendor's name of the model. */
  readonly model: string;
  /** What is known of that model. */
  readonly traits: Traits;
  /** Tokens that the model puts out at most, where the catalog knows it. */
  readonly outputTokensMax: number | undefined;
  readonly target: Target;
  /** Milliseconds since 1970, when the attempt began. */
  readonly now: number;
  /** Images that were fetched, by the URL as the caller wrote it; empty where the provider takes URLs. */
  readonly images: ReadonlyMap<string, InlineData>;
  /** What a usage costs, where the usage chunk is to tell it. */
  readonly costText?: CostText;
}

/** Where an attempt goes and with whose credential. */
export interface Target {
  readonly provider: Provider;
  /** From operator configuration only. */
  readonly baseUrl: BaseUrl;
  readonly credential: Credential;
  /** Id of the stored provider key, or what stands for it; undefined for the caller's own. */
  readonly providerKeyId: string | undefined;
  readonly region: string | undefined;
  readonly apiVersion: string | undefined;
}

/** A base URL, taken apart once. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without trailing slash; empty at the root. */
  readonly path: string;
}

export function parseBaseUrl(text: string): BaseUrl {
  const { origin, pathname } = new URL(text);
  return { origin, path: pathname.replace(/\/$/, '') };
}

/** Either the API key or the access key pair is there. */
export interface Credential {
  readonly apiKey: Secret | undefined;
  readonly accessKeyId?: Secret | undefined;
  readonly secretAccessKey?: Secret | undefined;
  readonly sessionToken?: Secret | undefined;
}

export interface UpstreamRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** With query. */
  readonly path: string;
  /** Names and values in turn; all of them, content length aside. */
  readonly headers: string[];
  readonly body: string;
  /** Fields of the request that the vendor does not get, for `x-svc-dropped-params`. */
  readonly dropped?: readonly string[];
  /** Fields of the request that the vendor gets by other means than its own, for `x-svc-emulated-params`. */
  readonly emulated?: readonly string[];
  /** The output limit that the gateway chose because the caller gave none, for `x-svc-max-tokens`. */
  readonly maxTokens?: number;
}

export interface VendorAnswer {
  readonly head: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface CompleteAnswer {
  /** The answer for the caller in common shape. */
  readonly body: Buffer;
  /** Of a whole response: complete where it is there. */
  readonly usage: Usage | undefined;
  /** The model that answered, in the vendor's words, where it names one. */
  readonly model: string | undefined;
}

export interface StreamLimits {
  /** Of one event or frame. */
  readonly eventBytesMax: number;
}

/** Turns the bytes of a streamed answer into the caller's bytes. */
export interface StreamReader {
  /**
   * @returns bytes for the caller, empty where the chunk completes no event
   * @throws GatewayError upstream_protocol_error
   */
  push(chunk: Buffer): Buffer;
  /** The connection ended as HTTP wants it. @returns last bytes for the caller, where the end itself is the end marker */
  end(): Buffer;
  /** The end that the wire format promises has arrived; without it the stream was cut. */
  readonly complete: boolean;
  /** An error that the vendor sent inside the stream; nothing after it counts. */
  readonly failure: VendorError | undefined;
  /** As far as it was reported: a lower bound until it is complete. */
  readonly usage: Usage | undefined;
  /** Whether `usage` is all that the response used. */
  readonly usageIsComplete: boolean;
  /** The model that answers, in the vendor's words, as soon as it has named one. */
  readonly model: string | undefined;
  /** The most tokens that text, reasoning, refusals and calls so far can have been (conversation/text-tokens.ts). */
  readonly textTokens: number;
}

/** An error as the vendor told it, in the envelope's words. */
export interface VendorError {
  readonly status: number;
  readonly message: string;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** Whether the same request may succeed later, or at another target. */
  readonly retryable: boolean;
  /** Seconds to wait, where the body says so; headers are read by upstream/. */
  readonly retryAfter: number | undefined;
}

/** An answer of status 2xx that holds an error after all. */
export class VendorFailure extends Error {
  readonly vendor: VendorError;

  constructor(vendor: VendorError) {
    super(vendor.message);
    this.name = 'VendorFailure';
    this.vendor = vendor;
  }
}
