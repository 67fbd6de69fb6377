// Signatures of Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md):
// symmetric, version 1.
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** Creates a secret: "whsec_" and base64. */
export function createWebhookSecret(): string {
  return `${prefix}${randomBytes(secretBytes).toString('base64')}`;
}

export interface SignedMessage {
  /** The same for every attempt. */
  readonly id: string;
  /** Time of the attempt, milliseconds since 1970. */
  readonly at: number;
  readonly body: string;
}

/** @param secret as createWebhookSecret returns it */
export function signedHeaders(secret: string, { id, at, body }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
