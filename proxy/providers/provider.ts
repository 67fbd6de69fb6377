// A provider: where requests are sent, with which credential, in which format. The format defines the bytes on the
// wire; the attempt loop in upstream/ sends them.
import type { CustomProvider } from '../access/principal.ts';
import { refuseAccountFields } from '../formats/chat-completions/account-fields.ts';
import { countingFormat } from '../formats/chat-completions/counting.ts';
import type { NativeFormats } from '../formats/chat-completions/native.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import type { ClientFormatName } from '../formats/client-format.ts';
import type { CountForm } from '../formats/count-form.ts';
import type { BaseUrl, Format, FormatCall, FormatTarget, PassesField, WrittenRequest } from '../formats/format.ts';
import type { StoredState } from '../formats/stored-state.ts';
import type { Authorize, CredentialTarget, UpstreamRequest } from './credentials/credential.ts';

export interface Provider {
  /** Canonical name, used in logs, metrics and model ids. */
  readonly name: string;
  /** As in common/vendors.ts; empty for a custom provider. */
  readonly aliases: readonly string[];
  /** `{endpoint}` and `{region}` are replaced by values of the provider key or the caller's headers. */
  readonly defaultBaseUrl: string;
  /** How a request on the provider's own route contains the caller's credential. */
  readonly routeCredential: 'bearer' | 'plain' | 'cloud-keys';
  readonly authorize: Authorize;
  /** For clients of every format. */
  readonly format: Format<ChatRequest>;
  /** Includes the query. */
  path(call: ProviderCall): string;
  /** For requests that `format` writes. Undefined: the vendor counts no tokens of them. */
  readonly counter: Counter | undefined;
  /** The formats in which the provider takes the requests of that format's clients as they are. */
  readonly native?: Partial<Record<ClientFormatName, NativeFormat>>;
  /**
   * Which fields of such a request a custom provider gets, by its operator's list. Absent: custom providers get
   * translated requests only.
   */
  readonly nativePasses?: (listed: readonly string[]) => PassesField;
  /** Reads a response that the vendor has stored; undefined for another body. Absent: the vendor stores none. */
  readStored?(body: Buffer): StoredState | undefined;
  /** For a server without keys: replaces the id of a stored provider key in a target. If absent, keys are required. */
  readonly keylessId?: string;
  /** Whether images given by URL must be fetched by the gateway, because the vendor takes bytes only. */
  readonly fetchesImages: boolean;
  /** The configuration of a custom provider. */
  readonly madeOf?: CustomProvider;
  /**
   * Whether a field of the body reaches the provider, for a format that passes the body as sent. Absent for formats
   * that write only known fields.
   */
  readonly passesField?: PassesField;
  /**
   * Whether the vendor stops generating, and charging, when one of its streams is cancelled. No vendor promises it:
   * true only if a source confirms it. No source confirms it for whole responses.
   */
  readonly streamStops: Sourced<boolean>;
}

/** Counts the tokens of a request without calling the model. */
export interface Counter {
  /** Includes the query. */
  path(call: ProviderCall): string;
  readonly form: CountForm;
}

/** A format that a provider shares with clients. */
export interface NativeFormat extends NativeFormats {
  /** Includes the query. */
  path(call: ProviderCall): string;
  /** Undefined: the vendor counts no tokens in this format. */
  readonly counter: Counter | undefined;
  /** Absent: all models. */
  serves?(model: string): boolean;
}

/** A fact that a vendor does not promise, with its source and the ISO date when that was read. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
  readonly asOf: string | undefined;
}

/** One attempt: the inspected request and its target. */
export interface ProviderCall extends FormatCall<ChatRequest> {
  readonly target: Target;
  /** Output guardrails apply, or its stream may be recovered: both read chat completions. */
  readonly isGuarded?: boolean;
  /** Fields of the client's that an earlier attempt had, and this one has not. */
  readonly leftOut?: readonly string[];
}

/** The format that the provider shares with the client of this request, if it does. */
export function nativeFormat({ request, target, model }: RoutedCall): NativeFormat | undefined {
  // The client's own request is without the changes of a route.
  if (request.overrides !== undefined) return undefined;
  const native = request.client && target.provider.native?.[request.client.translation.name];
  return native?.serves?.(model) === false ? undefined : native;
}

type RoutedCall = Pick<ProviderCall, 'request' | 'target' | 'model'>;
type AttemptedCall = RoutedCall & Pick<ProviderCall, 'isGuarded'>;

/** Whether the client gets the provider's response as it is. */
export function passesResponse(call: AttemptedCall): boolean {
  return !readsAsChat(call) && nativeFormat(call) !== undefined;
}

/** Whether the response must become chat completions first: for output guardrails, or for another framing. */
function readsAsChat({ request, isGuarded }: Pick<ProviderCall, 'request' | 'isGuarded'>): boolean {
  return isGuarded === true || request.client?.path.framing === 'json_array';
}

/** The vendor's counter for this request; undefined if it has none. */
export function counterOf(call: RoutedCall): Counter | undefined {
  if (call.request.client?.isEncoded === true) return undefined;
  return (nativeFormat(call) ?? call.target.provider).counter;
}

/** Undefined for a request that calls the model. */
function counterIn(call: RoutedCall): Counter | undefined {
  if (call.request.client?.path.counts !== true) return undefined;
  const counter = counterOf(call);
  if (counter === undefined) throw new Error('the vendor has no counter for this request');
  return counter;
}

/** The format of an attempt's request and response. */
export function formatOf(call: AttemptedCall): Format<ChatRequest> {
  const format = calledFormat(call);
  const counter = counterIn(call);
  return counter === undefined ? format : countingFormat(format, counter.form, passesResponse(call));
}

function calledFormat(call: AttemptedCall): Format<ChatRequest> {
  const native = nativeFormat(call);
  if (native === undefined) return call.target.provider.format;
  return readsAsChat(call) ? native.guarded : native.passed;
}

/** Where an attempt is sent, and with which credential. */
export interface Target extends FormatTarget, CredentialTarget {
  readonly provider: Provider;
  /** Only from an operator's configuration. */
  readonly baseUrl: BaseUrl;
  /** Of a stored key: changes with its secret. */
  readonly keyRevision?: string;
}

/**
 * Builds one attempt's request. Returns a promise only if signing needs one.
 * @throws GatewayError unsupported_parameter, invalid_request, no_healthy_target
 */
export function buildRequest(call: ProviderCall): UpstreamRequest | Promise<UpstreamRequest> {
  const { target, now } = call;
  const { provider, baseUrl } = target;
  const written = writtenRequest(call);
  // Written field by field: spreading the format's request was most of the cost of this function.
  const request = {
    origin: baseUrl.origin,
    path: (counterIn(call) ?? nativeFormat(call) ?? provider).path(call),
    headers: written.headers,
    body: written.body,
    dropped: written.dropped,
    emulated: written.emulated,
    maxTokens: written.maxTokens,
  };
  const headers = provider.authorize(request, target, now);
  if (headers instanceof Promise) return headers.then((signed) => ({ ...request, headers: signed }));
  request.headers = headers;
  return request;
}

/** Adds what the client's own format lost, and names fields as the client does. */
function writtenRequest(call: ProviderCall): WrittenRequest {
  const { client, body, messages } = call.request;
  const format = formatOf(call);
  // The other formats refuse it where they are read, or written for their own vendor.
  if (client === undefined && call.target.providerKeyId !== undefined) refuseAccountFields(body, messages);
  if (client === undefined || nativeFormat(call) !== undefined) return format.writeRequest(call);
  const { losses, translation } = client;
  if (losses.refusal !== undefined) throw losses.refusal;
  const written = format.writeRequest(call);
  const named = (fields: readonly string[] = []) => fields.map((field) => translation.fieldOf(field));
  return {
    ...written,
    dropped: [...losses.dropped, ...named(written.dropped)],
    ...(written.emulated && { emulated: named(written.emulated) }),
  };
}
