// Sends a request to the egress gateway. It is retried on a new connection only if no connection has taken the request,
// so that nothing is sent twice. An egress gateway that is being replaced is away only for a moment, and a Service has
// other replicas.
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
  const { method = '', url = '' } = exchange.request;
  const until = exchange.elapsedMs + connectTimeoutMs;
  for (let tries = 1; ; tries++) {
    exchange.attemptStarted();
    const body = hasBody(exchange) ? new CallerBody(exchange) : undefined;
    try {
      return await new EgressCall(exchange).send(transport, {
        method,
        origin: egress,
        path: url,
        headers,
        body,
      });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const isOver = tries === triesMax || exchange.elapsedMs > until;
      if (error.begun || isOver) throw egressFailure(error, false);
    }
    await pause(exchange, backoffMs(tries, backoff));
  }
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
