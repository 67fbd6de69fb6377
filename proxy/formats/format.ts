// What every wire format implements: pure functions from a request to a vendor's form of it, and back. A format knows no vendor, host
// or key, opens no connection, reads no clock and keeps no state beyond one request; the attempt loop in upstream/ does the rest.
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../common/json.ts';
import type { ModelCapabilities } from '../catalog/capabilities.ts';
import type { InlineData } from '../conversation/media.ts';
import type { ConversationRequest } from '../conversation/request.ts';
import type { Finish, ResponseIdentity, ResponseMessage, ResponseSink } from '../conversation/response.ts';
import type { CostText, Usage } from '../conversation/usage.ts';

/** The words of the contract and of settings; a folder has the same word with hyphens. */
export type FormatName = 'chat_completions' | 'messages' | 'generate_content' | 'converse';

/** A format of vendors for clients whose requests have the form `Request`, and who read chat completions. */
export interface Format<Request> {
  readonly name: FormatName;
  /** Media type of a streamed response. */
  readonly streamType: StreamType;
  /** @throws GatewayError unsupported_parameter, invalid_request */
  writeRequest(call: FormatCall<Request>): WrittenRequest;
  /** Reads a whole response of status 2xx. @throws GatewayError upstream_protocol_error; a VendorFailure for an error in it */
  readResponse(call: FormatCall<Request>, response: VendorResponse): CompleteResponse;
  /** Starts reading a streamed response of status 2xx. */
  openStream(call: FormatCall<Request>, head: IncomingHttpHeaders, limits: StreamLimits): StreamReader;
  /** Reads a response of any other status; any bytes may come. */
  readError(status: number, body: Buffer, head: IncomingHttpHeaders): VendorError;
}

/** A format that knows nothing of the client's: it writes requests from conversations, and reads responses into what all share. */
export interface TranslatedFormat
  extends Pick<Format<ConversationRequest>, 'name' | 'streamType' | 'readError'> {
  writeRequest(call: TranslatedCall): WrittenRequest;
  readResponse(call: TranslatedCall, response: VendorResponse): ReadResponse;
  openStream(call: TranslatedCall, context: StreamContext): StreamReader;
}

export type TranslatedCall = FormatCall<ConversationRequest>;

export type StreamType = 'text/event-stream' | 'application/vnd.amazon.eventstream';

/** One attempt: the inspected request, and the model that it is for. */
export interface FormatCall<Request> {
  readonly request: Request;
  /** The vendor's name of the model. */
  readonly model: string;
  /** What is known of that model. */
  readonly capabilities: ModelCapabilities;
  /** Tokens that the model puts out at most, where the catalog knows it. */
  readonly outputTokensMax: number | undefined;
  readonly target: FormatTarget;
  /** Milliseconds since 1970, when the attempt began. */
  readonly now: number;
  /** Images that were fetched, by the URL as the caller wrote it; empty where the provider takes URLs. */
  readonly images: ReadonlyMap<string, InlineData>;
  /** What a usage costs, for the usage chunk. */
  readonly costText?: CostText;
}

/** What a format may know of where its request goes: dialects follow from the URL and the version. */
export interface FormatTarget {
  readonly baseUrl: BaseUrl;
  readonly apiVersion: string | undefined;
  readonly provider: { readonly passesField?: PassesField };
}

/** Whether a field of this name goes on, where the body is passed as it came. */
export type PassesField = (name: string) => boolean;

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

/** A request without the credential, and without where it goes. */
export interface WrittenRequest {
  /** Names in lower case and values in turn; all of them, content length aside. */
  readonly headers: string[];
  readonly body: string;
  /** Fields of the request that the vendor does not get, for `x-svc-dropped-params`. */
  readonly dropped?: readonly string[] | undefined;
  /** Fields of the request that the vendor gets by other means than its own, for `x-svc-emulated-params`. */
  readonly emulated?: readonly string[] | undefined;
  /** The output limit that the gateway chose because the caller gave none, for `x-svc-max-tokens`. */
  readonly maxTokens?: number | undefined;
}

/** All headers but those of the credential and of one format alone. */
export function commonHeaders(stream: boolean): string[] {
  return [
    'content-type',
    'application/json',
    'accept',
    stream ? 'text/event-stream' : 'application/json',
    'user-agent',
    'model-gateway',
  ];
}

export interface VendorResponse {
  readonly head: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface ResponseFacts {
  /** Of a whole response: complete where it is there. */
  readonly usage: Usage | undefined;
  /** The model that responded, in the vendor's words, where it names one. */
  readonly model: string | undefined;
}

/** A whole response, read into what all formats share. */
export interface ReadResponse extends ResponseFacts {
  readonly message: ResponseMessage;
}

/** A whole response in the client's format. */
export interface CompleteResponse extends ResponseFacts {
  readonly body: Buffer;
}

export interface StreamLimits {
  /** Of one event or frame. */
  readonly eventBytesMax: number;
}

export interface StreamContext {
  readonly head: IncomingHttpHeaders;
  readonly limits: StreamLimits;
  /** Writes the client's format. */
  readonly writer: StreamWriter;
}

/** Turns the bytes of a streamed response into the caller's bytes. */
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
  /** The model that responds, in the vendor's words, as soon as it has named one. */
  readonly model: string | undefined;
  /** The most tokens that text, reasoning, refusals and calls so far can have been (conversation/text-tokens.ts). */
  readonly textTokens: number;
}

/** Writes the stream of a client's format, in the order of the calls. Parts without a choice belong to the first. */
export interface StreamWriter extends ResponseSink {
  /** Whether `start` was called. */
  readonly started: boolean;
  /** Number of tool calls begun, in all choices. */
  readonly calls: number;
  readonly textTokens: number;
  start(identity: ResponseIdentity): void;
  /** Of the tokens of the content so far that had none yet. */
  logprobs(logprobs: JsonObject): void;
  /** @param extras further fields beside the choice */
  finish(finish: Finish, extras?: JsonObject): void;
  /** The usage, if the client wants it, and the end. */
  end(usage: Usage, usageExtras?: JsonObject): void;
  /** What was written since the last call, for the client. */
  take(): Buffer;
}

/** An error as the vendor reported it, in the words of the error envelope. */
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

/** A response of status 2xx that holds an error after all. */
export class VendorFailure extends Error {
  readonly vendor: VendorError;

  constructor(vendor: VendorError) {
    super(vendor.message);
    this.name = 'VendorFailure';
    this.vendor = vendor;
  }
}
