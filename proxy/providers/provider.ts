// A provider: where requests go, with which credential, in which format. What it says on the wire is the format's; the attempt loop in
// upstream/ sends it.
import type { CustomProvider } from '../access/principal.ts';
import type { ChatRequest } from '../formats/chat-completions/read-request.ts';
import type { BaseUrl, Format, FormatCall, FormatTarget, PassesField } from '../formats/format.ts';
import type { Authorize, CredentialTarget, UpstreamRequest } from './credentials/credential.ts';

export interface Provider {
  /** Canonical name: in logs, metrics and model ids. */
  readonly name: string;
  /** As common/vendors.ts has them; none of a custom provider. */
  readonly aliases: readonly string[];
  /** `{endpoint}` and `{region}` in it are replaced by what the provider key or the caller's headers say. */
  readonly defaultBaseUrl: string;
  /** How the provider's own route carries the caller's credential. */
  readonly routeCredential: 'bearer' | 'plain' | 'cloud-keys';
  readonly authorize: Authorize;
  readonly format: Format<ChatRequest>;
  /** With query. */
  path(call: ProviderCall): string;
  /** Of a server without keys: takes the place of the id of a stored provider key in a target. Absent: keys are needed. */
  readonly keylessId?: string;
  /** Whether images given by URL must be fetched by the gateway, because the vendor takes bytes only. */
  readonly fetchesImages: boolean;
  /** Of a provider that is configuration: what it was made of. */
  readonly madeOf?: CustomProvider;
  /**
   * Whether a field of the body goes on where the body is passed as it came; absent where a format names what it takes, and nothing
   * else goes on.
   */
  readonly passesField?: PassesField;
  /**
   * Whether the vendor stops generating, and charging, when a stream of it is cancelled. No vendor promises it: true only where a
   * source says that it does. Nobody says it of a whole response.
   */
  readonly streamStops: Sourced<boolean>;
}

/** Something that a vendor does not promise: who says it, and when that was read (ISO date). */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
  readonly asOf: string | undefined;
}

/** One attempt: the inspected request and the target it goes to. */
export interface ProviderCall extends FormatCall<ChatRequest> {
  readonly target: Target;
}

/** Where an attempt goes and with whose credential. */
export interface Target extends FormatTarget, CredentialTarget {
  readonly provider: Provider;
  /** From operator configuration only. */
  readonly baseUrl: BaseUrl;
}

/**
 * One attempt's request; a promise only where signing needs one.
 * @throws GatewayError unsupported_parameter, invalid_request, no_healthy_target
 */
export function buildRequest(call: ProviderCall): UpstreamRequest | Promise<UpstreamRequest> {
  const { target, now } = call;
  const { provider, baseUrl } = target;
  const written = provider.format.writeRequest(call);
  // Field by field: spreading what a format wrote is most of what this costs.
  const request = {
    origin: baseUrl.origin,
    path: provider.path(call),
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
