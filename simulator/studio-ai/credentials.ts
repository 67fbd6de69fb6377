// Whether the service would accept the credential of a request: a key, or an access token of the directory. The
// simulator's own tokens are `eyJ….eyJ….sk-sim-…`: they have the form of a token, but contain no secret.
import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken, isAccepted } from '../gpt-provider/authorization.ts';
import { refused, StudioRefusal } from './refusal.ts';

type Keys = ReadonlySet<string>;

/** Requires a key in `api-key`, or a token as bearer. @throws StudioRefusal */
export function authorize(headers: IncomingHttpHeaders, keys: Keys): void {
  const key = headers['api-key'];
  const token = bearerToken(headers);
  if (key !== undefined) checkKey(String(key), keys);
  // A plain key as bearer is refused as a wrong token.
  else if (token === undefined || !isToken(token, keys)) throw wrongToken();
}

/** Like `authorize`, but accepts a plain key as bearer too, because stock clients send it so. @throws StudioRefusal */
export function authorizeAnyBearer(headers: IncomingHttpHeaders, keys: Keys): void {
  const bearer = bearerToken(headers);
  const isPlain = headers['api-key'] === undefined && bearer !== undefined && !isToken(bearer, keys);
  if (isPlain) checkKey(bearer, keys);
  else authorize(headers, keys);
}

/** The host of a single model accepts only the header `Authorization`. @throws StudioRefusal */
export function authorizeHost(headers: IncomingHttpHeaders, keys: Keys): void {
  const bearer = bearerToken(headers);
  if (bearer === undefined) {
    throw new StudioRefusal(400, { status: 'Auth token must be passed as a header called Authorization' });
  }
  if (isToken(bearer, keys) || isAccepted(bearer, keys)) return;
  // The text is from memory; no captured response was available.
  throw new StudioRefusal(401, { status: 'Invalid auth token' });
}

function checkKey(key: string, keys: Keys): void {
  if (isAccepted(key, keys)) return;
  const message =
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.';
  throw refused(401, '401', message);
}

function isToken(text: string, keys: Keys): boolean {
  const signature = /^eyJ[\w-]*\.eyJ[\w-]*\.([\w-]+)$/.exec(text)?.[1];
  return signature !== undefined && (isAccepted(signature, keys) || keys.has(text));
}

/** A refusal by the gate in front of the service, which has its own envelope. */
function wrongToken(): StudioRefusal {
  const message =
    'Unauthorized. Access token is missing, invalid, audience is incorrect (https://cognitiveservices.azure.com), or have expired.';
  return new StudioRefusal(401, { statusCode: 401, message });
}
