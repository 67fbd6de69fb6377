// One signed request to a receiver: an attempt of a delivery, or a test.
import type { Clock } from '../../common/clock.ts';
import { ForbiddenAddressError } from '../../common/filtered-lookup.ts';
import type { GuardedPost } from '../../common/guarded-request.ts';
import { errorCode } from '../../common/system-errors.ts';
import { signedHeaders } from '../../common/webhook-signature.ts';

export const attemptTimeoutMs = 10_000;

/** The beginning of a response's body that operators may see. */
export const bodyStartBytesMax = 2048;

export interface Message {
  /** The `webhook-id`. */
  readonly id: string;
  readonly url: string;
  /** As createWebhookSecret returns it. */
  readonly secret: string;
  readonly payload: string;
}

export interface AttemptResult {
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** Why there was no response: a code, or a few words without the host. */
  readonly error?: string;
  /** The same in one word, for the log. */
  readonly reason?: string;
  /** The beginning of the response's body; undefined if it was empty. */
  readonly body?: string;
}

interface Sending {
  readonly post: GuardedPost;
  readonly clock: Clock;
  /** Cuts the attempt off before its time-out. */
  readonly cut?: AbortSignal;
}

/** Sends a message once. Never rejects. */
export async function attempt(message: Message, { post, clock, cut }: Sending): Promise<AttemptResult> {
  const { id, url, secret, payload } = message;
  const now = clock.now();
  const headers = {
    ...signedHeaders(secret, { id, at: now, body: payload }),
    'content-type': 'application/json',
    'user-agent': 'model-gateway-webhooks',
  };
  const timeout = AbortSignal.timeout(attemptTimeoutMs);
  try {
    const signal = cut === undefined ? timeout : AbortSignal.any([cut, timeout]);
    const response = await post({ url, headers, body: payload }, signal);
    const body = bodyText(response.body);
    const retryAfterMs = readRetryAfter(response.headers['retry-after'], now);
    return { status: response.status, retryAfterMs, ...(body !== '' && { body }) };
  } catch (error) {
    return { status: undefined, retryAfterMs: undefined, error: whyNot(error), reason: errorCode(error) };
  }
}

export function isAccepted({ status = 0 }: Pick<AttemptResult, 'status'>): boolean {
  return status >= 200 && status <= 299;
}

function whyNot(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return 'the address is not allowed';
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) return 'time-out';
  return error instanceof Error && 'code' in error ? errorCode(error) : 'no response';
}

/**
 * Text that both databases store and a terminal shows without an effect. A character that was cut at the end is left
 * out.
 */
function bodyText(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes.subarray(0, bodyStartBytesMax));
  return text.replace(/\uFFFD+$/, '').replace(/[^\P{Cc}\n\t]/gu, '?');
}

/** `retry-after`, RFC 9110: seconds or a date. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) || ms < 0 ? undefined : ms;
}
