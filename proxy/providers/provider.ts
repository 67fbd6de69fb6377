// What every provider implements: pure functions from the common shape to the vendor's wire format and back. A provider
// opens no connection, reads no clock and keeps no state between requests; the attempt loop in upstream/ does the rest.
import type { Secret } from '../../common/secret.ts';
import type { ChatRequest } from '../chat/request.ts';
import type { Usage } from '../chat/usage.ts';

export interface Provider {
  /** Canonical name: in logs, metrics and model ids. */
  readonly name: string;
  /** Accepted in `<provider>/<model>` and as route segment; never sent out. */
  readonly aliases: readonly string[];
  readonly defaultBaseUrl: string;
  /** How the provider's own route carries the caller's provider key in `Authorization`. */
  readonly routeKeyForm: 'bearer' | 'plain';
  /** One attempt's request. @throws GatewayError unsupported_parameter, invalid_request */
  buildRequest(call: ProviderCall): UpstreamRequest;
  /** Reads a complete answer of status 2xx. @throws GatewayError upstream_protocol_error */
  readAnswer(body: Buffer): CompleteAnswer;
  /** Starts reading a streamed answer of status 2xx. */
  openStream(call: ProviderCall, limits: StreamLimits): StreamReader;
  /** Reads an answer of any other status; any bytes may come. */
  readError(status: number, body: Buffer): VendorError;
}

/** One attempt: the inspected request and the target it goes to. */
export interface ProviderCall {
  readonly request: ChatRequest;
  /** The vendor's name of the model. */
  readonly model: string;
  readonly target: Target;
}

/** Where an attempt goes and with whose credential. */
export interface Target {
  readonly provider: Provider;
  /** From operator configuration only. */
  readonly baseUrl: BaseUrl;
  readonly credential: Credential;
  /** Id of the stored provider key; undefined for the caller's own. */
  readonly providerKeyId: string | undefined;
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

export interface Credential {
  readonly apiKey: Secret | undefined;
}

export interface UpstreamRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** With query. */
  readonly path: string;
  /** Names and values in turn; all of them, content length aside. */
  readonly headers: string[];
  readonly body: string;
}

export interface CompleteAnswer {
  /** The answer for the caller in common shape. */
  readonly body: Buffer;
  readonly usage: Usage | undefined;
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
  /** The end that the wire format promises has arrived; without it the stream was cut. */
  readonly complete: boolean;
  /** An error that the vendor sent inside the stream; nothing after it counts. */
  readonly failure: VendorError | undefined;
  readonly usage: Usage | undefined;
}

/** An error as the vendor told it, in the envelope's words. */
export interface VendorError {
  readonly status: number;
  readonly message: string;
  readonly type: string | undefined;
  readonly param: string | undefined;
  readonly code: string | undefined;
}
