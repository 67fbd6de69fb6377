// The interface of every wire format: pure functions from a request to the vendor's form of it, and back. A format
// knows no vendor, host or key, opens no connection, reads no clock and keeps no state beyond one request. The attempt
// loop in upstream/ does that.
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../common/json.ts';
import type { ModelCapabilities } from '../catalog/capabilities.ts';
import type { InlineData } from '../conversation/media.ts';
import type { ConversationRequest } from '../conversation/request.ts';
import type { Finish, ResponseIdentity, ResponseMessage, ResponseSink } from '../conversation/response.ts';
import type { CostText, Usage } from '../conversation/usage.ts';
import type { OwnToolSettings } from './own-tools.ts';

/** A format's folder has the same name with hyphens. */
export type FormatName = 'chat_completions' | 'messages' | 'generate_content' | 'converse' | 'responses';

/** A vendors' format, for clients whose requests have the form `Request` and that read chat completions. */
export interface Format<Request> {
  readonly name: FormatName;
  /** Media type of a streamed response. */
  readonly streamType: StreamType;
  /** @throws GatewayError unsupported_parameter, invalid_request */
  writeRequest(call: FormatCall<Request>): WrittenRequest;
  /**
   * Reads a whole response of status 2xx.
   * @throws GatewayError upstream_protocol_error; VendorFailure if it contains an error
   */
  readResponse(call: FormatCall<Request>, response: VendorResponse): CompleteResponse;
  /** Starts reading a streamed response of status 2xx. */
  openStream(call: FormatCall<Request>, head: IncomingHttpHeaders, limits: StreamLimits): StreamReader;
  /** Reads a response of any other status. The body can be any bytes. */
  readError(status: number, body: Buffer, head: IncomingHttpHeaders): VendorError;
}

/**
 * A format independent of the client's format: it writes requests from conversations, and reads responses into a shared
 * shape.
 */
export interface TranslatedFormat extends ReadableFormat {
  writeRequest(call: TranslatedCall): WrittenRequest;
}

/** The responses of a vendor. Requests may be those that its format's own clients wrote. */
export interface ReadableFormat extends Pick<Format<ConversationRequest>, 'name' | 'streamType' | 'readError'> {
  readResponse(call: TranslatedCall, response: VendorResponse): ReadResponse;
  openStream(call: TranslatedCall, context: StreamContext): StreamReader;
  /**
   * What is needed of a response of status 2xx that its client gets as it is.
   * @returns undefined if only reading it as a whole shows that: it is an error, or has no complete usage
   */
  readPassed?(call: TranslatedCall, response: VendorResponse): PassedFacts | undefined;
}

export interface PassedFacts {
  readonly usage: Usage;
  /** By the vendor's name, if the vendor reports one. */
  readonly model: string | undefined;
  readonly responseId: string;
}

export type TranslatedCall = FormatCall<ConversationRequest>;

export type StreamType = 'text/event-stream' | 'application/vnd.amazon.eventstream';

/** One attempt: the inspected request, and the model that it calls. */
export interface FormatCall<Request> {
  readonly request: Request;
  /** The vendor's name of the model. */
  readonly model: string;
  /** Capabilities of that model. */
  readonly capabilities: ModelCapabilities;
  /** The model's maximum of output tokens, if the catalog contains it. */
  readonly outputTokensMax: number | undefined;
  readonly target: FormatTarget;
  /** Milliseconds since 1970, when the attempt began. */
  readonly now: number;
  /** Images that were fetched, by the URL as the caller wrote it; empty if the provider accepts URLs. */
  readonly images: ReadonlyMap<string, InlineData>;
  /** The cost of a usage as text, for the usage chunk. */
  readonly costText?: CostText;
}

/** Facts about the target that a format may use: dialects follow from the URL and the version. */
export interface FormatTarget {
  readonly baseUrl: BaseUrl;
  readonly apiVersion: string | undefined;
  /** Id of the stored provider key; undefined for the caller's own key. */
  readonly providerKeyId: string | undefined;
  /** The vendor's own tools that pass: by the organization's settings, or all with the caller's own key. */
  readonly ownTools: OwnToolSettings;
  readonly provider: { readonly name: string; readonly passesField?: PassesField };
}

/** Whether a field of this name reaches the vendor, for a body that is passed as sent. */
export type PassesField = (name: string) => boolean;

/** A base URL, parsed once. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Without a trailing slash; empty at the root. */
  readonly path: string;
}

export function parseBaseUrl(text: string): BaseUrl {
  const { origin, pathname } = new URL(text);
  return { origin, path: pathname.replace(/\/$/, '') };
}

/** A request without its credential and its address. */
export interface WrittenRequest {
  /** Alternating names, in lower case, and values. Complete except for the content length. */
  readonly headers: string[];
  readonly body: string;
  /** Fields of the request that the vendor does not get, for `x-svc-dropped-params`. */
  readonly dropped?: readonly string[] | undefined;
  /** Fields of the request whose effect is emulated, for `x-svc-emulated-params`. */
  readonly emulated?: readonly string[] | undefined;
  /** The output limit that the gateway chose because the caller gave none, for `x-svc-max-tokens`. */
  readonly maxTokens?: number | undefined;
}

/** All headers except the credential's and those of a single format. */
export function commonHeaders(stream: boolean, streamType: StreamType = 'text/event-stream'): string[] {
  return [
    'content-type',
    'application/json',
    'accept',
    stream ? streamType : 'application/json',
    'user-agent',
    'model-gateway',
  ];
}

export interface VendorResponse {
  readonly head: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface ResponseFacts {
  /** The usage of a whole response. If present, it is complete. */
  readonly usage: Usage | undefined;
  /** The model that responded, by the vendor's name, if the vendor reports one. */
  readonly model: string | undefined;
}

/** A whole response in the shape that all formats share. */
export interface ReadResponse extends ResponseFacts {
  readonly message: ResponseMessage;
}

/** A whole response as a chat completion, or in the client's format if the vendor shares it. */
export interface CompleteResponse extends ResponseFacts {
  readonly body: Buffer;
  /** The most tokens that its text can consist of. Default: those of the body, as a chat completion. */
  readonly textTokens?: number;
  /** The vendor's id of the response, if the client gets the vendor's own bytes. */
  readonly responseId?: string;
}

/** Splits the bytes of a stream into whole events, which keep their bytes. */
export interface EventSplitter {
  /** @throws GatewayError upstream_protocol_error for an event over the limit */
  push(chunk: Buffer): readonly Buffer[];
  /** The connection has ended. @returns the event that this completes */
  end(): readonly Buffer[];
}

export interface StreamLimits {
  /** The limit of one event or frame. */
  readonly eventBytesMax: number;
}

export interface StreamContext {
  readonly head: IncomingHttpHeaders;
  readonly limits: StreamLimits;
  /** Writes the client's format. */
  readonly writer: StreamWriter;
}

/** Converts the bytes of a streamed response into bytes for the caller. */
export interface StreamReader {
  /**
   * @returns bytes for the caller, empty if the chunk completes no event
   * @throws GatewayError upstream_protocol_error
   */
  push(chunk: Buffer): Buffer;
  /**
   * The connection ended properly.
   * @returns last bytes for the caller, if the end of the connection is the end marker
   */
  end(): Buffer;
  /** The format's end marker has arrived. Without it, the stream was cut. */
  readonly complete: boolean;
  /** An error that the vendor sent inside the stream. Everything after it is ignored. */
  readonly failure: VendorError | undefined;
  /** The usage reported so far: a lower bound until it is complete. */
  readonly usage: Usage | undefined;
  /** Whether `usage` covers the whole response. */
  readonly usageIsComplete: boolean;
  /** The model that responds, by the vendor's name, once the vendor has reported one. */
  readonly model: string | undefined;
  /** The most tokens that text, reasoning, refusals and calls so far can consist of (conversation/text-tokens.ts). */
  readonly textTokens: number;
  /** The vendor's id of the response, once it is known; absent in formats whose vendors store none. */
  readonly responseId?: string | undefined;
}

/**
 * Writes a stream in a client's format, in the order of the method calls. Parts without a choice belong to the first.
 */
export interface StreamWriter extends ResponseSink {
  /** Whether `start` was called. */
  readonly started: boolean;
  /** Number of tool calls begun, in all choices. */
  readonly calls: number;
  readonly textTokens: number;
  start(identity: ResponseIdentity): void;
  /** Logprobs of the content tokens since the last call. */
  logprobs(logprobs: JsonObject): void;
  /** @param extras further fields beside the choice */
  finish(finish: Finish, extras?: JsonObject): void;
  /** Writes the usage, if the client wants it, and the end marker. */
  end(usage: Usage, usageExtras?: JsonObject): void;
  /** Returns the bytes for the client written since the last call. */
  take(): Buffer;
}

/** An error that the vendor reported, with the fields of the error envelope. */
export interface VendorError {
  readonly status: number;
  readonly message: string;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** Whether the same request may succeed later, or at another target. */
  readonly retryable: boolean;
  /** Seconds to wait, if the body contains them; upstream/ reads the headers. */
  readonly retryAfter: number | undefined;
  /** The vendor's own name of the error, if SDKs of its format select their error class by it; of a closed list. */
  readonly type?: string | undefined;
}

/** A response of status 2xx that contains an error. */
export class VendorFailure extends Error {
  readonly vendor: VendorError;

  constructor(vendor: VendorError) {
    super(vendor.message);
    this.name = 'VendorFailure';
    this.vendor = vendor;
  }
}
