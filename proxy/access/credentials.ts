// Who calls, as far as headers tell: which virtual keys were sent and which provider key. Pure; nothing is looked up.
// Whatever starts with `sk-svc-` is a virtual key, nothing else is, and a virtual key is never taken for a provider key.
import {
  credentialHint,
  credentialPrefixes,
  hashCredential,
  isWellFormedCredential,
} from '../../common/credential.ts';
import { Secret } from '../../common/secret.ts';
import { GatewayError, specificMessages } from '../errors.ts';
import type { Principal } from './principal.ts';

/** What this module needs of the request's headers. */
export interface CredentialHeaders {
  get(name: string): string | undefined;
  readonly conflicts: readonly string[];
}

export interface Credentials {
  /** Value of the virtual key that is the caller. */
  readonly virtualKey: string;
  /** Value of the project key where a provider route got both. */
  readonly projectKey: string | undefined;
  /** `x-svc-direct-key: true`, or a provider route: the caller's own provider key is to be used. */
  readonly direct: boolean;
}

/** Where a virtual key may stand on a generic route, the first first. */
const genericHeaders = ['x-svc-vk', 'authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** Where a virtual key may stand. */
export const credentialHeaders: ReadonlySet<string> = new Set([...genericHeaders, 'project-api-key']);

/**
 * @param onProviderRoute whether the route is a provider's own
 * @throws GatewayError virtual_key_required, project_key_required, policy_access_denied, conflicting_credentials, invalid_request
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
  return onProviderRoute
    ? providerRouteCredentials(headers, explicit)
    : genericCredentials(headers, explicit, flagged);
}

function genericCredentials(
  headers: CredentialHeaders,
  explicit: string | undefined,
  direct: boolean,
): Credentials {
  const virtualKey = explicit ?? elsewhere(headers);
  if (virtualKey === undefined) throw virtualKeyRequired(headers, genericHeaders);
  return { virtualKey, projectKey: undefined, direct };
}

/** The virtual keys that were sent, in whatever form, the first that would count first. */
export function sentKeys(headers: CredentialHeaders): readonly string[] {
  return [...genericHeaders, 'project-api-key'].flatMap((name) => {
    const sent = headers.get(name);
    return asVirtualKey(name === 'authorization' ? bearer(sent) : sent) ?? [];
  });
}

/** Says what is wrong with what was sent, by the header alone: it is somebody's credential, elsewhere. */
function virtualKeyRequired(headers: CredentialHeaders, names: readonly string[]): GatewayError {
  const name = names.find((each) => (headers.get(each) ?? '') !== '');
  if (name === undefined) return new GatewayError('virtual_key_required');
  const { virtualKey: prefix } = credentialPrefixes;
  const lacksBearer = name === 'authorization' && headers.get(name)?.startsWith(prefix) === true;
  const hint = lacksBearer
    ? 'what came in `authorization` begins like a virtual key, but without `Bearer ` in front of it'
    : `what came in \`${name}\` is no virtual key of this gateway: they begin with \`${prefix}\``;
  return new GatewayError('virtual_key_required', { hint });
}

function providerRouteCredentials(headers: CredentialHeaders, explicit: string | undefined): Credentials {
  const projectKey = asVirtualKey(headers.get('project-api-key'));
  if (projectKey === undefined) {
    const other = explicit ?? elsewhere(headers);
    // What else is there is the caller's provider key, where it belongs.
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
 * The caller's own provider key on a generic route: the first value that is no virtual key.
 * @throws GatewayError provider_key_required
 */
export function readDirectKey(headers: CredentialHeaders): Secret {
  const candidates = [
    bearer(headers.get('authorization')),
    headers.get('x-api-key'),
    headers.get('x-goog-api-key'),
  ];
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

/** The caller's own access key pair, and its session token where there is one. */
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
      headers.get('cloud-session-token') === undefined
        ? undefined
        : readCloudHeader(headers, 'cloud-session-token'),
  };
}

/** Not yet checked for its form. @throws GatewayError provider_key_required that names the header */
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

/** A virtual key in quotes or behind a second scheme word is none here either: it must not reach the provider. */
function isProviderKey(value: string | undefined): value is string {
  return (
    value !== undefined && /^[\x21-\x7e]+$/.test(value) && !value.includes(credentialPrefixes.virtualKey)
  );
}

function bearer(value: string | undefined): string | undefined {
  return /^bearer +(.*)$/i.exec(value ?? '')?.[1];
}

/**
 * Which virtual key came with a request that was refused before anybody asked for it: for the log, so that a client that is pointed to
 * the wrong place can be found. Memory answers or nobody: strangers cause no look-up.
 */
type SentKey =
  | { readonly keyId: string; readonly organizationId: string }
  /** Well-formed and not known here: its last characters. */
  | { readonly keyHint: string };

/** What memory has of a key, whether or not it may still be used. @param keyHash SHA-256 in hexadecimal */
type RecallPrincipal = (keyHash: string) => Principal | undefined;

/** @returns undefined where no well-formed key was sent */
export function sentKey(headers: CredentialHeaders, recall: RecallPrincipal): SentKey | undefined {
  const value = sentKeys(headers).find((sent) => isWellFormedCredential('virtualKey', sent));
  if (value === undefined) return undefined;
  const principal = recall(hashCredential(value));
  if (principal === undefined) return { keyHint: credentialHint(value) };
  return { keyId: principal.key.keyId, organizationId: principal.organization.id };
}
