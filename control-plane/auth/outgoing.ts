// Requests to issuers, whose URLs an organization chose: https to public addresses, or to hosts that the platform's
// operator has listed; no redirects, bounded in bytes and time. Every URL of an issuer's configuration passes here too.
import { isIP } from 'node:net';
import { addressRule, isMetadataHost } from '../../common/addresses.ts';
import { createGuardedPost, type GuardedPost, type GuardOptions } from '../../common/guarded-request.ts';
import type { PrivateUpstreams } from '../../common/private-upstreams.ts';

export interface IssuerNetwork {
  /** Fetches for one organization, as the library of the protocol calls it. */
  fetchFor(organizationId: string): IssuerFetch;
  /** Whether a browser may be sent to the URL, or a request to it. */
  allowsUrl(url: URL, organizationId: string): boolean;
  /** Whether the issuer may speak plain http: only hosts that are listed. */
  isListed(url: URL, organizationId: string): boolean;
}

export type IssuerFetch = (url: string, options: IssuerRequest) => Promise<Response>;

export interface IssuerRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface IssuerNetworkDeps {
  readonly privateIssuers: PrivateUpstreams;
  readonly denyCidrs: readonly string[];
  readonly network: Pick<GuardOptions, 'resolve' | 'ca'>;
}

const documentBytesMax = 256 * 1024;
const timeoutMs = 5_000;

export function createIssuerNetwork({ privateIssuers, denyCidrs, network }: IssuerNetworkDeps): IssuerNetwork {
  const allows = addressRule({ deny: denyCidrs });
  const outside = createGuardedPost({ ...network, allows, bodyBytesMax: documentBytesMax });
  // A listed host may have any address but those of instance metadata.
  const inside = createGuardedPost({
    ...network,
    allows: (address) => !isMetadataHost(address),
    bodyBytesMax: documentBytesMax,
    plain: true,
  });
  const isListed = (url: URL, organizationId: string) => privateIssuers.openTo(organizationId)(hostAndPort(url));
  const allowsUrl = (url: URL, organizationId: string) => {
    if (url.username !== '' || url.password !== '') return false;
    if (isListed(url, organizationId)) return true;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return url.protocol === 'https:' && !isMetadataHost(host) && (isIP(host) === 0 || allows(host));
  };
  return {
    isListed,
    allowsUrl,
    fetchFor: (organizationId) => async (text, options) => {
      const url = new URL(text);
      if (!allowsUrl(url, organizationId)) throw new Error('the address is not allowed');
      return await send(isListed(url, organizationId) ? inside : outside, url, options);
    },
  };
}

async function send(post: GuardedPost, url: URL, { method, headers, body, signal }: IssuerRequest): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const request = {
    url: url.href,
    headers,
    body: body === undefined || body === null ? '' : String(body),
    method: method === 'GET' ? 'GET' : 'POST',
  } as const;
  const response = await post(request, signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
  const type = response.headers['content-type'];
  return new Response(new Uint8Array(response.body), {
    status: response.status === 204 ? 200 : response.status,
    headers: type === undefined ? {} : { 'content-type': type },
  });
}

function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : url.port}`;
}
