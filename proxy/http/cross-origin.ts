// The console's playground is a page of another origin. Browsers let it read responses only with the headers that are
// written here, for that one origin and without credentials: a page of any other origin gets what it got before.
import { type InboundRequest, type InboundResponse, joinedValues } from './inbound.ts';

/** What the playground sends beside what browsers always allow. */
const requestHeaders = ['authorization', 'content-type', 'x-api-key', 'x-goog-api-key', 'anthropic-version'];
/** What its page reads. */
const responseHeaders = [
  'x-request-id',
  'retry-after',
  'x-svc-provider',
  'x-svc-model',
  'x-svc-route',
  'x-svc-cache',
  'x-svc-attempts',
  'x-svc-captured',
  'x-svc-guardrails',
];
const preflightSeconds = 600;

/**
 * Adds the headers for requests of the origin.
 * @param origin of the console, as browsers send it
 * @returns whether the request was a preflight, which is over then
 */
export function crossOrigin(origin: string): (request: InboundRequest, response: InboundResponse) => boolean {
  return (request, response) => {
    // Several values are joined, and are no origin then.
    if (joinedValues(request, 'origin') !== origin) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'origin');
    if (request.method !== 'OPTIONS' || joinedValues(request, 'access-control-request-method') === undefined) {
      response.setHeader('access-control-expose-headers', responseHeaders.join(', '));
      return false;
    }
    response.writeHead(204, [
      ...['access-control-allow-methods', 'GET, POST'],
      ...['access-control-allow-headers', requestHeaders.join(', ')],
      ...['access-control-max-age', String(preflightSeconds)],
    ]);
    response.end();
    return true;
  };
}
