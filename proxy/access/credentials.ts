// Which virtual keys and which provider key a request sent, from its headers alone. Pure; nothing is looked up. A value
// is a virtual key if and only if it starts with `sk-svc-`, and a virtual key is never used as a provider key.
import { credentialHint, credentialPrefixes, hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import { Secret } from '../../common/secret.ts';
import { GatewayError, specificMessages } from '../errors.ts';
import type { Principal } from './principal.ts';

/** The part of the request's headers that this module needs. */
export interface CredentialHeaders {
  get(name: string): string | undefined;
  readonly conflicts: readonly string[];
}

export interface Credentials {
  /** Value of the virtual key of the caller. */
  readonly virtualKey: string;
  /** Value of the project key if a provider route got both keys. */
  readonly projectKey: string | undefined;
  /** `x-svc-direct-key: true`, or a provider route: the call uses the caller's own provider key. */
  readonly direct: boolean;
}

/** The headers that may contain a virtual key on a generic route, in order of precedence. */
const genericHeaders = ['x-svc-vk', 'authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** All headers that may contain a virtual key. */
export const credentialHeaders: ReadonlySet<string> = new Set([...genericHeaders, 'project-api-key']);

/**
 * @param onProviderRoute whether the route is a provider's own
 * @throws GatewayError virtual_key_required, project_key_required, policy_access_denied, conflicting_credentials,
 * invalid_request
 */
export function readCredentials(headers: CredentialHeaders, onProviderRoute: boolean): Credentials {
  const twice = headers.conflicts.find((name) => credentialHeaders.has(name));
  if (twice !== undefined) throw conflicting(twice);
  const flagged = directKeyFlag(headers);
  const explicit = asVirtualKey(headers.get('x-svc-vk'));
  if (flagged && explicit === undefined) {
    throw new GatewayError('policy_access_denied', {
      status: 401,
      message: specificMessages.directKeyNeedsVirtualKey,
    });
  }
  return onProviderRoute ? providerRouteCredentials(headers, explicit) : genericCredentials(headers, explicit, flagged);
}

function genericCredentials(headers: CredentialHeaders, explicit: string | undefined, direct: boolean): Credentials {
  const virtualKey = explicit ?? elsewhere(headers);
  if (virtualKey === undefined) throw virtualKeyRequired(headers, genericHeaders);
  return { virtualKey, projectKey: undefined, direct };
}

/** The virtual keys that were sent, in any form, in order of precedence. */
export function sentKeys(headers: CredentialHeaders): readonly string[] {
  return [...genericHeaders, 'project-api-key'].flatMap((name) => {
    const sent = headers.get(name);
    return asVirtualKey(name === 'authorization' ? bearer(sent) : sent) ?? [];
  });
}

/** Names only the header of the wrong value, never the value: it may be a credential of another service. */
function virtualKeyRequired(headers: CredentialHeaders, names: readonly string[]): GatewayError {
  const name = names.find((each) => (headers.get(each) ?? '') !== '');
  if (name === undefined) return new GatewayError('virtual_key_required');
  const { virtualKey: prefix } = credentialPrefixes;
  const lacksBearer = name === 'authorization' && headers.get(name)?.startsWith(prefix) === true;
  const hint = lacksBearer
    ? 'the value of `authorization` begins like a virtual key, but without `Bearer ` in front of it'
    : `the value of \`${name}\` is no virtual key of this gateway: they begin with \`${prefix}\``;
  return new GatewayError('virtual_key_required', { hint });
}

function providerRouteCredentials(headers: CredentialHeaders, explicit: string | undefined): Credentials {
  const projectKey = asVirtualKey(headers.get('project-api-key'));
  if (projectKey === undefined) {
    const other = explicit ?? elsewhere(headers);
    // Any other value is the caller's provider key, in its proper header.
    if (other === undefined) throw virtualKeyRequired(headers, ['project-api-key', 'x-svc-vk']);
    throw new GatewayError('project_key_required');
  }
  if (explicit === undefined) return { virtualKey: projectKey, projectKey: undefined, direct: true };
  return { virtualKey: explicit, projectKey, direct: true };
}

function elsewhere(headers: CredentialHeaders): string | undefined {
  return (
    asVirtualKey(bearer(headers.get('authorization'))) ??
    asVirtualKey(headers.get('x-api-key')) ??
    asVirtualKey(headers.get('x-goog-api-key')) ??
    asVirtualKey(headers.get('api-key'))
  );
}

/**
 * The caller's own provider key on a generic route: the first value that is not a virtual key.
 * @throws GatewayError provider_key_required
 */
export function readDirectKey(headers: CredentialHeaders): Secret {
  const candidates = [bearer(headers.get('authorization')), headers.get('x-api-key'), headers.get('x-goog-api-key')];
  const found = candidates.find(isProviderKey);
  if (found !== undefined) return new Secret(found);
  throw new GatewayError('provider_key_required', {
    message:
      'a direct request needs a provider key as a bearer token, or in the `x-api-key` or `x-goog-api-key` header',
  });
}

/**
 * The provider key that a provider's own route requires in `Authorization`.
 * @param form `bearer` as the route requires the scheme word; `plain` tolerates and removes it
 * @throws GatewayError provider_key_required that names the header
 */
export function readRouteKey(headers: CredentialHeaders, form: 'bearer' | 'plain'): Secret {
  const sent = headers.get('authorization');
  const value = bearer(sent) ?? (form === 'plain' ? sent : undefined);
  if (isProviderKey(value)) return new Secret(value);
  const expected = form === 'bearer' ? '`Bearer <provider key>`' : 'the provider key';
  throw new GatewayError('provider_key_required', {
    message: `this route needs ${expected} in the \`Authorization\` header`,
  });
}

/** The caller's own access key pair, with its session token if there is one. */
export interface CloudKeys {
  readonly apiKey: undefined;
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  readonly sessionToken: Secret | undefined;
}

/** @throws GatewayError provider_key_required that names the header */
export function readCloudKeys(headers: CredentialHeaders): CloudKeys {
  return {
    apiKey: undefined,
    accessKeyId: readCloudHeader(headers, 'cloud-access-key-id'),
    secretAccessKey: readCloudHeader(headers, 'cloud-secret-access-key'),
    sessionToken:
      headers.get('cloud-session-token') === undefined ? undefined : readCloudHeader(headers, 'cloud-session-token'),
  };
}

/** The form of the region is not checked yet. @throws GatewayError provider_key_required that names the header */
export function readRegion(headers: CredentialHeaders): string {
  return readCloudHeader(headers, 'cloud-region-name').reveal();
}

function readCloudHeader(headers: CredentialHeaders, name: string): Secret {
  const value = headers.get(name);
  if (headers.conflicts.includes(name)) throw conflicting(name);
  if (isProviderKey(value)) return new Secret(value);
  throw new GatewayError('provider_key_required', {
    message: `calls to this provider with your own credentials need the \`${name}\` header`,
  });
}

function conflicting(name: string): GatewayError {
  return new GatewayError('conflicting_credentials', {
    message: `\`${name}\` was sent twice with different values`,
  });
}

function directKeyFlag(headers: CredentialHeaders): boolean {
  const value = headers.get('x-svc-direct-key')?.toLowerCase() ?? 'false';
  const isFlag = value === 'true' || value === 'false';
  if (isFlag && !headers.conflicts.includes('x-svc-direct-key')) return value === 'true';
  throw new GatewayError('invalid_request', { message: '`x-svc-direct-key` must be true or false' });
}

function asVirtualKey(value: string | undefined): string | undefined {
  return value?.startsWith(credentialPrefixes.virtualKey) === true ? value : undefined;
}

/**
 * A virtual key in quotes or behind a second scheme word is not a provider key either: it must not reach the provider.
 */
function isProviderKey(value: string | undefined): value is string {
  return value !== undefined && /^[\x21-\x7e]+$/.test(value) && !value.includes(credentialPrefixes.virtualKey);
}

function bearer(value: string | undefined): string | undefined {
  return /^bearer +(.*)$/i.exec(value ?? '')?.[1];
}

/**
 * The virtual key of a request that was refused before authentication. The log contains it, so that an operator can
 * find a client that calls the wrong address. It is looked up in memory only, so that strangers cause no look-up
 * elsewhere.
 */
type SentKey =
  | {
      readonly keyId: string;
      readonly organizationId: string;
      readonly scope: Principal['key']['scope'];
      /** Whether the organization records its requests. */
      readonly isRecorded: boolean;
    }
  /** The key is well-formed but not in memory: its last characters. */
  | { readonly keyHint: string };

/** The records of a key in memory, whether or not the key may still be used. @param keyHash SHA-256 in hexadecimal */
type ReclaimPrincipal = (keyHash: string) => Principal | undefined;

/** @returns undefined if no well-formed key was sent */
export function sentKey(headers: CredentialHeaders, reclaim: ReclaimPrincipal): SentKey | undefined {
  const value = sentKeys(headers).find((sent) => isWellFormedCredential('virtualKey', sent));
  if (value === undefined) return undefined;
  const principal = reclaim(hashCredential(value));
  if (principal === undefined) return { keyHint: credentialHint(value) };
  const { key, organization } = principal;
  return {
    ...{ keyId: key.keyId, organizationId: organization.id },
    ...{ scope: key.scope, isRecorded: organization.recordsNoRequests !== true },
  };
}
