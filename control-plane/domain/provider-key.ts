// Provider keys: which secret and settings each provider takes. Problems never repeat the submitted text, because it
// may be a secret.
import { credentialPrefixes } from '../../common/credential.ts';
import {
  canonicalVendorName,
  isEndpoint,
  isRegion,
  isVendorName,
  type VendorName,
  vendorNames,
  vendors,
} from '../../common/vendors.ts';
import { baseUrl, type IsListed } from './base-url.ts';
import { all, clearable, type Field, invalid, type Problem, valid } from './field.ts';
import type { ProviderSecretText } from './provider-secret.ts';

const hintLengthMax = 4;
/** A hint contains at most one fifth of a secret. */
const hintPart = 5;

export function providerName(text: string): Field<VendorName> {
  if (isVendorName(text)) return valid(text);
  const canonical = canonicalVendorName(text);
  return canonical === undefined
    ? invalid(`must be one of ${vendorNames.join(', ')}, or the name of a custom provider`)
    : invalid(`must be the canonical name, which is ${canonical}`);
}

const secretFields = [
  ['apiKey', '.api_key'],
  ['accessKeyId', '.access_key_id'],
  ['secretAccessKey', '.secret_access_key'],
  ['sessionToken', '.session_token'],
] as const;

/** @param provider undefined if it is already invalid; then only the form of the secret is checked */
export function providerSecret(provider: string): (message: ProviderSecretText | null) => Field<ProviderSecretText> {
  return (message) => {
    if (message === null) return invalid('is required');
    const problems: Problem[] = [];
    const secret: Record<string, string> = {};
    for (const [name, at] of secretFields) {
      const text = message[name];
      if (text === undefined || text === '') continue;
      const description = secretProblem(text);
      if (description === undefined) secret[name] = text;
      else problems.push({ at, description });
    }
    const missing = problems.length > 0 ? undefined : missingSecret(provider, secret);
    if (missing !== undefined) problems.push(missing);
    return problems.length > 0 ? { problems } : valid(secret);
  };
}

function secretProblem(text: string): string | undefined {
  if (!/^[\x21-\x7e]{1,8192}$/.test(text)) {
    return 'must be 1 to 8192 visible ASCII characters without white space';
  }
  return text.startsWith(credentialPrefixes.virtualKey)
    ? 'is a virtual key of the gateway; the vendor’s own key is needed'
    : undefined;
}

function missingSecret(provider: string, secret: ProviderSecretText): Problem | undefined {
  const pair = secret.accessKeyId !== undefined && secret.secretAccessKey !== undefined;
  const half = secret.accessKeyId !== undefined || secret.secretAccessKey !== undefined;
  const cloud = half || secret.sessionToken !== undefined;
  if (!takesAccessKeys(provider)) {
    if (cloud)
      return {
        at: '',
        description: `takes api_key only; access keys are for ${vendorsWith(takesAccessKeys)}`,
      };
    return secret.apiKey === undefined ? { at: '.api_key', description: 'is required' } : undefined;
  }
  if (secret.apiKey !== undefined) {
    return cloud ? { at: '', description: 'must contain api_key or access keys, not both' } : undefined;
  }
  const description = 'must contain access_key_id and secret_access_key, or api_key';
  return pair ? undefined : { at: '', description };
}

/**
 * The last four characters; fewer of a short secret, so that they reveal nothing, and none of one below five
 * characters. An access key id identifies the key better than its secret, so it is used if there is one.
 */
export function secretHint(secret: ProviderSecretText): string {
  const text = secret.accessKeyId ?? secret.apiKey ?? '';
  const length = Math.min(hintLengthMax, Math.floor(text.length / hintPart));
  return length === 0 ? '' : text.slice(-length);
}

export interface ProviderSettings {
  readonly baseUrl?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly apiVersion?: string | undefined;
}

/**
 * Whether the secret would be sent to a host that the operator who set it has not seen. Then the operator must submit
 * it again.
 */
export function changesHost(present: ProviderSettings, patch: ProviderSettingsPatch | undefined): boolean {
  const differs = (name: 'baseUrl' | 'endpoint') => typeof patch?.[name] === 'string' && patch[name] !== present[name];
  return differs('baseUrl') || differs('endpoint');
}

/** Fields that do not change are undefined, cleared ones null. */
export interface ProviderSettingsPatch {
  readonly baseUrl: string | null | undefined;
  readonly endpoint: string | null | undefined;
  readonly region: string | null | undefined;
  readonly apiVersion: string | null | undefined;
}

export function providerSettings(
  provider: string,
  isListed: IsListed,
): (message: ProviderSettings) => Field<ProviderSettingsPatch> {
  return (message) => {
    const read = all({
      '.base_url': clearable((text) => baseUrl(text, isListed), message.baseUrl),
      '.endpoint': clearable(only(takesEndpoint, provider, endpoint), message.endpoint),
      '.region': clearable(regionOf(provider), message.region),
      '.api_version': clearable(apiVersion, message.apiVersion),
    });
    if ('problems' in read) return read;
    const { value } = read;
    return valid({
      baseUrl: value['.base_url'],
      endpoint: value['.endpoint'],
      region: value['.region'],
      apiVersion: value['.api_version'],
    });
  };
}

function takesAccessKeys(provider: string): boolean {
  return isVendorName(provider) && vendors[provider].secret === 'api key or access keys';
}

function takesEndpoint(provider: string): boolean {
  return isVendorName(provider) && vendors[provider].baseUrl.includes('{endpoint}');
}

function takesRegion(provider: string): boolean {
  return isVendorName(provider) && vendors[provider].baseUrl.includes('{region}');
}

function vendorsWith(takes: (provider: string) => boolean): string {
  return vendorNames.filter(takes).join(', ');
}

function only(
  takes: (provider: string) => boolean,
  provider: string,
  read: (text: string) => Field<string>,
): (text: string) => Field<string> {
  return (text) => (takes(provider) ? read(text) : invalid(`is for ${vendorsWith(takes)} only`));
}

function endpoint(text: string): Field<string> {
  return isEndpoint(text)
    ? valid(text)
    : invalid('must be the name of the endpoint in lower case, such as my-resource');
}

/** For some providers the region is part of the URL; for others it selects the price of a request. */
function regionOf(provider: string): (text: string) => Field<string> {
  const isZone = isVendorName(provider) && vendors[provider].dataZones;
  return isZone ? dataZone : only(takesRegion, provider, region);
}

function dataZone(text: string): Field<string> {
  return /^[a-z]{2,6}$/.test(text) ? valid(text) : invalid('must be a geography such as eu or us');
}

function region(text: string): Field<string> {
  return isRegion(text) ? valid(text) : invalid('must be a region such as eu-west-1');
}

function apiVersion(text: string): Field<string> {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(text) ? valid(text) : invalid('must be a version such as 2024-10-21');
}
