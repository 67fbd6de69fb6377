// The request to a webhook's receiver. Whoever may add a webhook chooses where the control plane connects to, so: https with
// verified certificates only, public addresses only, judged at the moment of connecting and on a connection of its own,
// no redirects, no answer read further than it has to be. node:https does all of this; undici would be a second client here.
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { blockList, familyOf, isMetadataHost, isPublicAddress } from '../../common/addresses.ts';
import { ForbiddenAddressError, judgedLookup, type Resolve } from '../../common/judged-lookup.ts';
import { createResolve } from './resolve.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** @throws Error where there is no answer within the time, or the signal says to stop; ForbiddenAddressError */
export type PostWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookAnswer>;

export interface GuardOptions {
  readonly allows: (address: string) => boolean;
  readonly resolve?: Resolve;
  /** Authorities in PEM; default: those of Node. */
  readonly ca?: string;
  /** Of the whole request; default 10 seconds. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
const answerBytesMax = 64 * 1024;

/**
 * Which addresses a webhook may have. GATEWAY_PRIVATE_UPSTREAMS does not apply.
 * @param denyCidrs refused beside what is not public
 */
export function webhookAddresses(denyCidrs: readonly string[]): (address: string) => boolean {
  const denied = blockList(denyCidrs);
  return (address) => {
    const family = familyOf(address);
    if (family === undefined || isMetadataHost(address)) return false;
    return isPublicAddress(address) && !denied.check(address, family);
  };
}

export function createPostWebhook({ allows, ca, timeoutMs, ...options }: GuardOptions): PostWebhook {
  const lookup = judgedLookup(allows, options.resolve ?? createResolve());
  return ({ url, headers, body }, signal) =>
    new Promise((answered, failed) => {
      const target = new URL(url);
      // An address in the URL itself is never looked up; the parser has turned 0x7f.1 and the like into one.
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (target.protocol !== 'https:' || (isIP(host) !== 0 && !allows(host))) {
        return failed(new ForbiddenAddressError(host));
      }
      const outgoing = httpsRequest(target, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        lookup,
        // A connection of its own, closed after: none that was judged for another host or at another time.
        agent: false,
        rejectUnauthorized: true,
        ...(ca !== undefined && { ca }),
        maxHeaderSize: 16 * 1024,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs ?? defaultTimeoutMs)]),
      });
      let head: WebhookAnswer | undefined;
      const settle = (error: Error) => (head === undefined ? failed(error) : answered(head));
      outgoing.on('error', settle);
      outgoing.once('close', () => settle(new Error('closed without an answer')));
      outgoing.once('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        head = { status, retryAfter: headers['retry-after'] };
        discard(response);
      });
      outgoing.end(body);
    });
}

/** The head is the answer: what follows is read only so that the receiver may finish, and not for long. */
function discard(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > answerBytesMax) response.destroy();
  });
  response.on('error', () => undefined);
}
