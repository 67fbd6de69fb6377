// Whether the vendor would accept this key. Valid are `AIzaSim…`, `sk-sim-…` and the configured keys.
import type { Received, ResponseContext } from '../wire-format.ts';
import { detail, FrontRefusal, scriptedError } from './refusal.ts';

const ownKey = /^(AIzaSim|sk-sim-)[A-Za-z0-9_-]+$/;

/** @throws FrontRefusal */
export function authorize(received: Received, keys: ResponseContext['keys']): void {
  const { authorization, 'x-goog-api-key': header } = received.headers;
  // The vendor reads a bearer as an OAuth token, also if the request has a valid key.
  if (authorization !== undefined) {
    const { message, details } = scriptedError(401, {});
    throw new FrontRefusal(401, message, details);
  }
  const key = [header].flat()[0] || new URLSearchParams(received.query).get('key');
  if (!key) {
    const message =
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
    throw new FrontRefusal(403, message);
  }
  if (ownKey.test(key) || keys.has(key)) return;
  const message = 'API key not valid. Please pass a valid API key.';
  const metadata = { service: 'generativelanguage.googleapis.com' };
  throw new FrontRefusal(400, message, [
    detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com', metadata }),
    detail('LocalizedMessage', { locale: 'en-US', message }),
  ]);
}
