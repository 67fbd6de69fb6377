// The requests that the simulator received, for assertions. Values are raw, so a caller must never see them. Bounded in
// number and bytes.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Delivery } from './deliver.ts';

export interface RecordedRequest {
  readonly method: string;
  /** The request target as received, with its query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, in the received order and spelling. */
  readonly rawHeaders: readonly string[];
  /** Empty until the whole body has arrived. */
  readonly body: Buffer;
  /** The body as JSON; undefined for other content. */
  json(): unknown;
  /** The status of the response, once decided. */
  readonly status: number | undefined;
  /** How the response ended; undefined before that. */
  readonly ended: Delivery | undefined;
}

/** The record as the server writes it. */
export interface OpenRecord extends RecordedRequest {
  body: Buffer;
  status: number | undefined;
  ended: Delivery | undefined;
}

const recordsMax = 2_000;
const bodyBytesMax = 128 * 1024 * 1024;

export interface Recorder {
  /** Oldest first; the same array during the whole life of the simulator. */
  readonly requests: readonly RecordedRequest[];
  open(request: IncomingMessage): OpenRecord;
  /** Stores the body, and drops the oldest requests if a bound is exceeded. */
  received(record: OpenRecord, body: Buffer): void;
  clear(): void;
}

export function createRecorder(): Recorder {
  const requests: OpenRecord[] = [];
  let recordedBytes = 0;
  const forgetOldest = () => {
    recordedBytes -= requests.shift()?.body.length ?? 0;
  };
  return {
    requests,
    open(request) {
      const record: OpenRecord = {
        method: request.method ?? '',
        target: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.alloc(0),
        json: () => parseJson(record.body),
        status: undefined,
        ended: undefined,
      };
      requests.push(record);
      if (requests.length > recordsMax) forgetOldest();
      return record;
    },
    received(record, body) {
      // A record that was dropped or cleared meanwhile no longer counts toward the bound.
      if (!requests.includes(record)) return;
      record.body = body;
      recordedBytes += body.length;
      while (recordedBytes > bodyBytesMax && requests.length > 1) forgetOldest();
    },
    clear() {
      requests.length = 0;
      recordedBytes = 0;
    },
  };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
