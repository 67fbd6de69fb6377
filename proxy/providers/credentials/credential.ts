// Credentials that identify the gateway or the caller to a vendor, and the ways of adding them to a request.
import type { Secret } from '../../../common/secret.ts';
import { GatewayError } from '../../errors.ts';
import type { BaseUrl, WrittenRequest } from '../../formats/format.ts';

/** Contains either the API key or the access key pair. */
export interface Credential {
  readonly apiKey: Secret | undefined;
  readonly accessKeyId?: Secret | undefined;
  readonly secretAccessKey?: Secret | undefined;
  readonly sessionToken?: Secret | undefined;
}

export interface UpstreamRequest extends WrittenRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Includes the query. */
  readonly path: string;
}

/**
 * Adds the credential to a request.
 * @param now milliseconds since 1970
 * @returns all headers; a promise only if signing needs one
 * @throws GatewayError no_healthy_target
 */
export type Authorize = (
  request: UpstreamRequest,
  target: CredentialTarget,
  now: number,
) => string[] | Promise<string[]>;

/** The credential of a request, and the region that it is for. */
export interface CredentialTarget {
  readonly credential: Credential;
  readonly baseUrl: BaseUrl;
  /** Id of the stored provider key, or its replacement; undefined for the caller's own key. */
  readonly providerKeyId: string | undefined;
  readonly region: string | undefined;
}

/** The key as sent. @throws GatewayError no_healthy_target */
export function apiKeyOf({ credential }: Pick<CredentialTarget, 'credential'>): string {
  if (credential.apiKey !== undefined) return credential.apiKey.reveal();
  throw unusableTarget('the target has no API key');
}

/** @param why for the log */
export function unusableTarget(why: string): GatewayError {
  return new GatewayError('no_healthy_target', { cause: new Error(why) });
}
