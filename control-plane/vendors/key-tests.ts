// Tests of provider keys: one free call to the host that requests of the key reach, under the same rules for hosts and
// addresses as requests (proxy/upstream/addresses.ts). A test proves that a key is accepted or refused; everything else,
// such as a silent host, proves nothing. Nothing of a call is logged.
import { addressRule, familyOf, isMetadataHost } from '../../common/addresses.ts';
import { ForbiddenAddressError } from '../../common/filtered-lookup.ts';
import { createGuardedPost, type GuardedResponse, type GuardOptions } from '../../common/guarded-request.ts';
import { isObject, parseJson } from '../../common/json.ts';
import { printableLine } from '../../common/key-forms.ts';
import type { PrivateUpstreams } from '../../common/private-upstreams.ts';
import { errorCode } from '../../common/system-errors.ts';
import { isEndpoint, isRegion, type VendorName } from '../../common/vendors.ts';
import type { ProviderKeyState } from '../../proto/words/access.ts';
import { hostAndPortOf } from '../domain/base-url.ts';
import type { ProviderSettings } from '../domain/provider-key.ts';
import type { ProviderSecretText } from '../domain/provider-secret.ts';
import { CallError } from '../rpc/errors.ts';
import type { ProviderRow } from '../store/provider-rows.ts';
import { freeCall, type KeyServer } from './free-call.ts';

export interface TestedKey {
  readonly organizationId: string;
  /** A vendor's canonical name, or a custom provider. */
  readonly provider: VendorName | ProviderRow;
  readonly settings: ProviderSettings;
  readonly secret: ProviderSecretText;
}

export interface KeyTestResult {
  readonly state: ProviderKeyState;
  /** One line without what looks like a key; empty if the key works. */
  readonly detail: string;
}

export interface KeyTests {
  /** @throws CallError too_many_requests if the organization has too many running tests */
  test(key: TestedKey): Promise<KeyTestResult>;
}

export interface KeyTestsDeps {
  /** Base URLs by vendor, with placeholders. */
  readonly templates: ReadonlyMap<string, string>;
  readonly endpointHostSuffixes: readonly string[];
  readonly privateUpstreams: PrivateUpstreams;
  readonly denyCidrs: readonly string[];
  readonly network: Pick<GuardOptions, 'resolve' | 'ca'>;
  /** Default: 5 seconds. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 5000;
const runningMax = 4;
const bodyStartBytesMax = 16 * 1024;
const wordsMax = 300;

export function createKeyTests(deps: KeyTestsDeps): KeyTests {
  const running = new Map<string, number>();
  return {
    test: async (key) => {
      const { organizationId } = key;
      const count = running.get(organizationId) ?? 0;
      if (count >= runningMax) {
        const message = `${runningMax} tests of provider keys are running; wait a second`;
        throw new CallError('too_many_requests', message, { retryAfter: 1 });
      }
      running.set(organizationId, count + 1);
      try {
        return await testKey(deps, key);
      } finally {
        const left = (running.get(organizationId) ?? 1) - 1;
        if (left === 0) running.delete(organizationId);
        else running.set(organizationId, left);
      }
    },
  };
}

async function testKey(deps: KeyTestsDeps, key: TestedKey): Promise<KeyTestResult> {
  const server = serverOf(deps, key);
  if (typeof server === 'string') return untested(server);
  const call = freeCall(server, key.secret);
  if (call === undefined) return untested('there is no free call by which its key can be tested');
  const timeoutMs = deps.timeoutMs ?? usualTimeoutMs;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const get = guarded(deps, key.organizationId, new URL(call.url));
    const headers = { ...call.headers, accept: 'application/json', 'user-agent': 'model-gateway' };
    const request = { url: call.url, headers, body: '', method: 'GET' } as const;
    return resultOf(await get(request, signal), key.secret);
  } catch (error) {
    return untested(signal.aborted ? `no response within ${timeoutMs} ms` : noResponse(error));
  }
}

/** Where requests of the key go, or why that is not known. */
function serverOf({ templates, endpointHostSuffixes }: KeyTestsDeps, key: TestedKey): KeyServer | string {
  const { provider, settings } = key;
  if (typeof provider !== 'string') {
    const { wire_format: wireFormat, key_form: keyForm, key_header: keyHeader } = provider;
    const baseUrl = settings.baseUrl ?? provider.base_url;
    return { wireFormat, keyForm, keyHeader, baseUrl, apiVersion: settings.apiVersion };
  }
  const own = {
    wireFormat: provider,
    keyForm: 'wire_format',
    keyHeader: null,
    apiVersion: settings.apiVersion,
  } as const;
  if (settings.baseUrl !== undefined) return { ...own, baseUrl: settings.baseUrl };
  const template = templates.get(provider) ?? '';
  const { endpoint = '', region = '' } = settings;
  if (template.includes('{endpoint}') && !isEndpoint(endpoint)) return 'it has no endpoint: set one';
  if (template.includes('{region}') && !isRegion(region)) return 'it has no region: set one';
  const filled = template.replaceAll('{endpoint}', endpoint).replaceAll('{region}', region);
  const isOurs = endpointHostSuffixes.some((suffix) => new URL(filled).hostname.endsWith(suffix));
  if (template.includes('{endpoint}') && !isOurs) return 'its endpoint is not on a host that the platform allows';
  return { ...own, baseUrl: filled.replace(/\/$/, '') };
}

/** A listed host may be private and plain; all others are public, and https. */
function guarded({ privateUpstreams, denyCidrs, network }: KeyTestsDeps, organizationId: string, url: URL) {
  const isListed = privateUpstreams.openTo(organizationId)(hostAndPortOf(url));
  const isAddress = (address: string) => familyOf(address) !== undefined && !isMetadataHost(address);
  return createGuardedPost({
    ...network,
    allows: isListed ? isAddress : addressRule({ deny: denyCidrs }),
    bodyStartBytesMax,
    ...(isListed && { plain: true }),
  });
}

function resultOf({ status, body }: GuardedResponse, secret: ProviderSecretText): KeyTestResult {
  if (status >= 200 && status < 300) return { state: 'working', detail: '' };
  const words = wordsOf(body.toString(), secret);
  const detail = `status ${status}${words === '' ? '' : `: ${words}`}`;
  // The search company refuses keys that it does not know as a faulty request.
  const isUnknown = status === 401 || (status === 400 && /API_KEY_INVALID|API key not valid/i.test(body.toString()));
  if (isUnknown) return { state: 'refused', detail };
  // 403 does not refuse it: keys with few rights may call models and not list them.
  return { state: status === 402 || status === 429 ? 'limited' : 'untested', detail };
}

/** The vendor's message, in whichever of the usual forms. */
function wordsOf(text: string, secret: ProviderSecretText): string {
  const message = messageIn(parseJson(text));
  const withoutSecret = Object.values(secret).reduce((rest, part) => rest.replaceAll(part, '[key]'), message);
  // Vendors show both ends of a key around asterisks.
  return printableLine(withoutSecret.slice(0, bodyStartBytesMax).replace(/[^\s*]*\*{3,}[^\s*]*/g, '[key]'), wordsMax);
}

function messageIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return messageIn(value[0]);
  if (!isObject(value)) return '';
  return messageIn(value.error ?? value.message ?? value.detail);
}

function noResponse(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return 'its host is not one that the gateway may reach';
  return `no response (${errorCode(error)})`;
}

function untested(detail: string): KeyTestResult {
  return { state: 'untested', detail };
}
