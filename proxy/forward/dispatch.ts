// Sends a request to the egress gateway. It is sent again only if the egress gateway has not worked on it: no connection
// has taken it, its kept connection had been closed, or the egress gateway is stopping. A replica that is being replaced
// is away only for a moment, and a Service has other ones.
import { backoffMs } from '../../common/backoff.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Transport, TransportError } from '../upstream/transport.ts';
import { CallerBody } from './caller-body.ts';
import { EgressCall } from './egress-call.ts';
import { egressFailure } from './failures.ts';

export interface EgressDeps {
  readonly transport: Transport;
  /** Scheme, host and port. */
  readonly egress: string;
  /** No retry begins later than this after the first try. */
  readonly connectTimeoutMs: number;
}

const triesMax = 3;
const backoff = { firstMs: 100, maxMs: 1000 };

/**
 * @param headers alternating names and values
 * @returns the response, once its head has arrived
 * @throws GatewayError upstream_unreachable, upstream_protocol_error; or the error that aborted the request
 */
export async function dispatch(
  exchange: Exchange,
  headers: string[],
  { transport, egress, connectTimeoutMs }: EgressDeps,
): Promise<EgressCall> {
  const until = exchange.elapsedMs + connectTimeoutMs;
  const body = hasBody(exchange) ? new CallerBody(exchange) : undefined;
  try {
    for (let tries = 1; ; tries++) {
      exchange.attemptStarted();
      const isLast = tries === triesMax || exchange.elapsedMs > until;
      const sent = { headers, body, fresh: tries > 1 };
      const call = await send(exchange, sent, { transport, egress }).catch((error: unknown) => {
        if (!(error instanceof TransportError)) throw error;
        if (isLast || !isUnworked(error, body)) throw egressFailure(error, false);
        return undefined;
      });
      if (call !== undefined && (isLast || !isStopping(call) || body?.isRepeatable === false)) return call;
      call?.abort(new Error('another replica gets the request'));
      await pause(exchange, backoffMs(tries, backoff));
    }
  } finally {
    body?.release();
  }
}

interface Sent {
  readonly headers: string[];
  readonly body: CallerBody | undefined;
  readonly fresh: boolean;
}

function send(
  exchange: Exchange,
  { headers, body, fresh }: Sent,
  { transport, egress }: Pick<EgressDeps, 'transport' | 'egress'>,
): Promise<EgressCall> {
  const { method = '', url = '' } = exchange.request;
  const request = { method, origin: egress, path: url, headers, body: body?.open(), fresh };
  return new EgressCall(exchange).send(transport, request);
}

/** Whether the egress gateway has not begun with the request, and all of it can be sent again. */
function isUnworked({ begun, wasIdle }: TransportError, body: CallerBody | undefined): boolean {
  return !begun || (wasIdle && body?.isRepeatable !== false);
}

/** It refuses new requests, before it reads their bodies. */
function isStopping({ status, headers }: EgressCall): boolean {
  return status === 503 && headers['x-svc-error-code'] === 'draining';
}

function hasBody({ headers }: Exchange): boolean {
  return headers.get('transfer-encoding') !== undefined || Number(headers.get('content-length') ?? 0) > 0;
}

/** Rejects early with the error that aborted the request. */
function pause(exchange: Exchange, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    exchange.onAbort({
      abort: (error) => {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}
