// What the log and the metrics record of a relayed response. Its headers contain the provider and the model; a small
// error response contains the code, if it is one of the gateway's own. Nothing else of a response is read.
import { type ErrorCode, errorTable } from '../errors.ts';
import type { RequestRecord } from '../http/exchange.ts';
import type { EgressCall } from './egress-call.ts';

const errorResponseBytesMax = 16 * 1024;

export function noteResponse(record: RequestRecord, { status, headers }: EgressCall): void {
  record.status = status;
  record.provider = single(headers['x-svc-provider']);
  record.model = single(headers['x-svc-model']);
  record.modelRoute = single(headers['x-svc-route']);
  record.streamed = single(headers['content-type'])?.startsWith('text/event-stream') === true;
  if (status < 400) return;
  record.errorSource = headers['x-svc-error-source'] === 'provider' ? 'provider' : 'gateway';
}

/** Collects a small error response while it passes. */
export class ErrorResponseReader {
  readonly #chunks: Buffer[] = [];

  /** Undefined for a response that is no error or may be large. */
  static of({ status, headers }: EgressCall): ErrorResponseReader | undefined {
    const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
    const isJson = single(headers['content-type'])?.startsWith('application/json') === true;
    return status >= 400 && isJson && length <= errorResponseBytesMax ? new ErrorResponseReader() : undefined;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  code(): ErrorCode | undefined {
    try {
      const response: unknown = JSON.parse(Buffer.concat(this.#chunks).toString());
      return ownCode(member(member(response, 'error'), 'code'));
    } catch {
      return undefined;
    }
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function ownCode(code: unknown): ErrorCode | undefined {
  return Object.keys(errorTable).find((known): known is ErrorCode => known === code);
}

/** A header that occurs twice is a list; the first value counts. */
function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
