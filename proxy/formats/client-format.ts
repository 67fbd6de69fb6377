// A wire format as clients use it: how their requests are read, and how responses, errors and the list of models look
// to them. Inside, every request has the form of chat completions with its extensions (formats/chat-completions): it is
// authorized, priced and guarded in that form, whichever format it came in.
import type { JsonObject } from '../../common/json.ts';
import type { ServiceTier } from '../../common/model-facts.ts';
import type { TextLocation } from '../../guardrails/inspection/inspection-schema.ts';
import type { CatalogModel, ModelPrices } from '../catalog/models.ts';
import type { Effort } from '../conversation/options.ts';
import type { ResponseMessage } from '../conversation/response.ts';
import type { GatewayError } from '../errors.ts';
import type { StreamWriter } from './format.ts';
import type { OwnTool } from './own-tools.ts';
import type { TextReader } from './streamed-texts.ts';
import type { VendorReasoning } from './vendor-reasoning.ts';

export interface ClientFormat {
  /** The response header in which the format's SDKs look for the request's id; the gateway's own is always there. */
  readonly requestIdHeader: string | undefined;
  /** The body of an error response, before a byte of another response was sent. */
  writeError(error: PublicError): object;
  /** Further headers of an error response, as alternating names and values. */
  errorHeaders?(error: PublicError): readonly string[];
  /**
   * An error after the first byte of a stream. The connection is aborted after it.
   */
  writeStreamError(error: PublicError, stream: StreamSoFar): string | Buffer;
  /**
   * The format's SDKs skip comments in streams. Not those of Google: the package google-genai for Python takes every line
   * that is not data for JSON. The frames of Converse have no comments.
   */
  readonly readsComments?: true;
  readonly models: ModelsWriter;
  /** Reads the texts of a stream for captures. @param framing of the request's path */
  openTexts(framing: Framing | undefined): TextReader;
  /** The field of a body with the caller's own strings by name; undefined if the format has none. */
  readonly metadataField: 'metadata' | 'labels' | 'requestMetadata' | undefined;
  /** Absent for chat completions. */
  readonly translation?: ClientTranslation;
}

/** What the client got of a stream that fails. */
export interface StreamSoFar {
  /** Of the request, if its format was read. */
  readonly path: PathFields | undefined;
  /** Whole events: the first that were written together, and the last. */
  readonly first: Buffer | undefined;
  readonly last: Buffer | undefined;
}

/**
 * The formats in which clients send requests. `invoke`: bodies of the Messages API with the streams and errors of
 * Converse.
 */
export const clientFormatNames = [
  ...(['chat_completions', 'messages', 'responses', 'generate_content', 'converse', 'invoke'] as const),
] as const;

export type ClientFormatName = (typeof clientFormatNames)[number];

/** Between a client's format and chat completions. */
export interface ClientTranslation {
  readonly name: ClientFormatName;
  /** Media type of a streamed response. */
  readonly streamType: string;
  /** The format's SDK gives bodies a media type that says nothing, so any is accepted. */
  readonly anyMediaType?: boolean;
  /**
   * The format has no field for the signatures of a Claude model, so its clients get them wrapped:
   * see conversation/opaque.ts.
   */
  readonly wrapsThinking?: boolean;
  /**
   * The format has no word for a response that failed although its status was a success, so the client gets an error
   * instead of it.
   */
  readonly lacksFailures?: boolean;
  /** In requests that a vendor of the same format gets. */
  readonly vendorReasoning: VendorReasoning;
  /** Where a request contains text. */
  readonly requestLocations: TextLocation;
  /** Names of the client's headers, in lower case, that a vendor of the same format gets too. */
  forwardsHeader(name: string): boolean;
  /**
   * The request in the form of chat completions.
   * @param headers those that `forwardsHeader` chose, as alternating names, in lower case, and values
   * @throws GatewayError invalid_request that names the field
   */
  readRequest(body: JsonObject, path: PathFields, headers?: readonly string[]): ReadClientRequest;
  /**
   * The fields that make a vendor of the same format charge more, except the service tier, which chat completions have
   * too. Under a budget a request with one that has no price is refused.
   * @param headers those that `forwardsHeader` chose, as alternating names, in lower case, and values
   */
  dearFields(body: JsonObject, headers?: readonly string[]): readonly DearField[];
  /**
   * The tools that the vendor defines. Absent for a format that no vendor gets unchanged.
   * @throws GatewayError invalid_request
   */
  ownTools?(body: JsonObject): readonly OwnTool[];
  /** The client's field for a field of chat completions, for errors and `x-svc-dropped-params`. */
  fieldOf(chatField: string): string;
  /** The response to a request whose tokens are only counted. */
  writeCount(inputTokens: number): JsonObject;
  /** @param elapsedMs since the request arrived */
  writeResponse(message: ResponseMessage, request: ClientRequest, elapsedMs: number): JsonObject;
  /** Further headers of a whole response, as alternating names and values. */
  responseHeaders?(message: ResponseMessage): readonly string[];
  /** @param elapsedMs returns the milliseconds since the request arrived */
  openWriter(request: ClientRequest, elapsedMs: () => number): StreamWriter;
}

/** A field that has a price of its own, or none if neither member is present. */
export interface DearField {
  /** Path in the client's body, or the name of a header. */
  readonly at: string;
  readonly tier?: ServiceTier;
  /** Where the request is to be processed, as prices name it. */
  readonly region?: string;
  /** Reservations need no price for it: they have the rates of long prompts, or its vendor does not get it. */
  readonly isCovered?: true;
  /** It lowers the price. */
  readonly isCheaper?: true;
  /** It changes no price: the response may become longer than the limit that is reserved. */
  readonly isLimit?: true;
}

/** The parts of a request that some formats have in the path instead of the body. */
export interface PathFields {
  readonly model: string | undefined;
  readonly stream: boolean | undefined;
  /** Only its tokens are counted, so nothing about its response is required. */
  readonly counts?: boolean | undefined;
  /** The response is the conversation in a shorter form, which only its vendor can read. */
  readonly compacts?: boolean | undefined;
  /** How the pieces of a stream are separated; `sse` unless the path demands a JSON array. */
  readonly framing?: Framing | undefined;
}

export type Framing = 'sse' | 'json_array';

/** A message of the chat request. */
export interface ChatTurn {
  readonly message: JsonObject;
  /** Where the client sent it. */
  readonly at: string;
}

/** A client's own request, as a vendor of the same format gets it. */
export interface PassedRequest {
  readonly body: string;
  /** What was taken out, for `x-svc-dropped-params`. */
  readonly dropped: readonly string[];
  /** Alternating names and values, beside those of every request. */
  readonly headers: readonly string[];
}

export interface ReadClientRequest {
  /** SDK type `ChatCompletionCreateParams` of the package openai, with the extensions of the gateway. */
  readonly chat: JsonObject;
  /** For each message of it, the path in the client's body. */
  readonly origins: readonly string[];
  /** What a vendor of another format does not get. */
  readonly losses: Losses;
  /** See {@link ClientRequest.isEncoded}. */
  readonly isEncoded?: true;
}

/** The parts of a request that chat completions cannot express: only a vendor of the client's own format gets them. */
export interface Losses {
  /** Paths in the client's body. */
  readonly dropped: readonly string[];
  /** Why a vendor of another format cannot get the request at all. */
  readonly refusal: GatewayError | undefined;
}

/** The request as the client sent it. */
export interface ClientRequest {
  readonly translation: ClientTranslation;
  /** Its numbers keep their spelling. Rewritten by guardrails. */
  readonly body: JsonObject;
  /** As received; undefined if the body was changed since. */
  readonly bytes: Buffer | undefined;
  readonly path: PathFields;
  /** Alternating names, in lower case, and values: for a vendor of the same format. */
  readonly headers: readonly string[];
  /** For each message of the chat request, the path in the body. */
  readonly origins: readonly string[];
  readonly losses: Losses;
  /**
   * The body has the request in base64, where guardrails cannot inspect its fields. No vendor gets it: only its tokens
   * may be estimated.
   */
  readonly isEncoded?: true;
  /** What its vendor may store, and what it has stored. Absent: nothing. */
  readonly store?: ClientStore;
  /** What names the caller's scope to the vendor, if the client names no one. */
  readonly safetyIdentifier?: string;
}

/** What a vendor stores for its clients belongs to the owner of the virtual key, although the account has many. */
export interface ClientStore {
  /** The vendor's ids by those of the client: only the account of this provider key has them. */
  readonly ids: ReadonlyMap<string, string>;
  readonly providerKeyId?: string;
  /** The client may request that the vendor generates the response after its request has ended, and has done so. */
  readonly isBackground?: boolean;
}

/** An error as the client may see it. Status, code and message are the same in every format. */
export interface PublicError {
  readonly status: number;
  readonly message: string;
  readonly param: string | undefined;
  readonly code: string | undefined;
  /** A vendor's own name of the error, see `VendorError.type`. */
  readonly type?: string | undefined;
  /** Further advice beside the message. */
  readonly hint?: string | undefined;
  readonly requestId?: string;
}

/** Changes that a route makes to a request for one of its targets. */
export interface RequestOverrides {
  /** The most output tokens of each choice, for requests that allow more. */
  readonly maxOutputTokens: number | undefined;
  /** Replaces the effort of the request. */
  readonly reasoningEffort: Effort | undefined;
}

export interface ModelsWriter {
  /**
   * A page of the list.
   * @param query of the request: which page, in the format's own words
   * @throws GatewayError invalid_request
   */
  list(models: readonly ListedModel[], query: URLSearchParams): object;
  one(model: ListedModel): object;
}

/** A model that the client may call. */
export interface ListedModel {
  /** Canonical name, `<provider>/<primary id>`, or an alias of the organization. */
  readonly id: string;
  readonly facts: CatalogModel;
  /** What the organization pays now; undefined if no price is known. */
  readonly prices: ModelPrices | undefined;
}
