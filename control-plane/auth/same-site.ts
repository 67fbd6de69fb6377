// Keeps pages of other sites from using the cookie: a request for a token or a sign-in must come from the console's own
// page, in a form that no other page can send without permission.
import type { IncomingMessage } from 'node:http';
import { CallError } from '../rpc/errors.ts';
import { expectJson, single } from '../rpc/http-request.ts';
import type { Site } from './site.ts';

/** @throws CallError method_not_allowed, unsupported_media_type, cross_site */
export function expectOwnPage(request: IncomingMessage, site: Site): void {
  if (request.method !== 'POST') throw new CallError('method_not_allowed', 'this path is called with POST');
  expectJson(request);
  const fetchSite = single(request, 'sec-fetch-site');
  const isOwn = fetchSite === undefined ? single(request, 'origin') === site.origin : fetchSite === 'same-origin';
  if (!isOwn) throw new CallError('cross_site', 'only the page of the console may send this');
}
