// Requests to the vendors' usage and cost APIs with an admin key. Only https, or loopback for tests; no redirects,
// which would send the key elsewhere; responses of bounded size; the pages of a document one after another. No error
// contains the key.
import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopbackHost } from '../../common/addresses.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Secret } from '../../common/secret.ts';
import { Failure, usageMistake } from '../failure.ts';
import { parseExactNumbers } from './decimal.ts';

export interface VendorApi {
  readonly vendor: string;
  /** Base URL of its paths, such as https://api.openai.com/v1. */
  readonly url: string;
  readonly key: Secret;
  headers(key: string): Readonly<Record<string, string>>;
}

const requestTimeoutMs = 60_000;
const bodyBytesMax = 64 * 1024 * 1024;
const triesMax = 6;
const retryAfterMaxMs = 60_000;
const pagesMax = 2000;

/** @throws Failure if the key must not be sent to the URL */
export function apiUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // IPv6 addresses are in brackets.
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(host));
  if (url === undefined || !isSafe || url.username !== '' || url.search !== '' || url.hash !== '')
    throw usageMistake('--api-url must be an https URL without credentials and query');
  return url.href.replace(/\/$/, '');
}

/** Every page, in order, following `has_more` and `next_page`. @throws Failure */
export async function* pages(
  api: VendorApi,
  path: string,
  query: readonly (readonly [string, string])[],
): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  let page: string | undefined;
  for (let count = 0; count < pagesMax; count++) {
    const all = page === undefined ? query : [...query, ['page', page] as const];
    const body = await get(api, path, all);
    yield body;
    if (body.has_more !== true) return;
    if (typeof body.next_page !== 'string' || seen.has(body.next_page))
      throw broken(api, 'reports more pages, but not the next one');
    page = body.next_page;
    seen.add(page);
  }
  throw broken(api, `has more than ${pagesMax} pages; request fewer days`);
}

export function broken({ vendor }: Pick<VendorApi, 'vendor'>, what: string): Failure {
  return new Failure('refused', `${vendor}: the response ${what}`);
}

async function get(api: VendorApi, path: string, query: readonly (readonly [string, string])[]): Promise<JsonObject> {
  const url = `${api.url}${path}?${query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;
  for (let tries = 1; ; tries++) {
    const response = await send(api, url);
    if (response.status === 200) return await readBody(api, response);
    const isPassing = response.status === 429 || response.status >= 500;
    if (!isPassing || tries === triesMax) throw await refusal(api, response);
    await response.body?.cancel();
    await sleep(waitMs(response.headers.get('retry-after'), tries));
  }
}

async function send(api: VendorApi, url: string): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': 'gatewayctl', ...api.headers(api.key.reveal()) },
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new Failure('unreachable', `${api.vendor} cannot be reached: ${scrubbed(api, why)}`);
  }
}

function waitMs(retryAfter: string | null, tries: number): number {
  const seconds = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : 2 ** (tries - 1);
  return Math.min(seconds * 1000, retryAfterMaxMs);
}

async function readBody(api: VendorApi, response: Response): Promise<JsonObject> {
  const text = await readText(api, response);
  try {
    const body: unknown = parseExactNumbers(text);
    if (isObject(body)) return body;
  } catch {
    // Reported below without the text, which may contain anything.
  }
  throw broken(api, 'is no JSON object');
}

async function readText(api: VendorApi, response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bodyBytesMax) throw broken(api, `is larger than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The vendor's own message, bounded. */
async function refusal(api: VendorApi, response: Response): Promise<Failure> {
  const text = await readText(api, response).catch(() => '');
  const output = messageIn(text);
  const words = output === undefined ? '' : `: ${scrubbed(api, output).slice(0, 300)}`;
  const hint = response.status === 401 || response.status === 403 ? '; it takes an admin key of the organization' : '';
  return new Failure('refused', `${api.vendor} responded with ${response.status}${words}${hint}`);
}

function messageIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const error = isObject(body) ? body.error : undefined;
    return isObject(error) && typeof error.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}

function scrubbed({ key }: VendorApi, text: string): string {
  return text.replaceAll(key.reveal(), '[key]');
}
