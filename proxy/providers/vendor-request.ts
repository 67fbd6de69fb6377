// What requests to all vendors have in common: their headers, and a credential without which none can be made.
import { GatewayError } from '../errors.ts';
import type { Target } from './provider.ts';

/** All headers but those of the credential and of one vendor alone. */
export function commonHeaders(stream: boolean): string[] {
  return [
    'content-type',
    'application/json',
    'accept',
    stream ? 'text/event-stream' : 'application/json',
    'user-agent',
    'model-gateway',
  ];
}

/** The key as it goes on the wire. @throws GatewayError no_healthy_target */
export function apiKeyOf({ credential }: Target): string {
  if (credential.apiKey !== undefined) return credential.apiKey.reveal();
  throw new GatewayError('no_healthy_target', { cause: new Error('the target has no API key') });
}
