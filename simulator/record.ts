// What the simulator received, for assertions: raw values, so never shown to a caller. Bounded in number and in bytes.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Delivery } from './deliver.ts';

export interface RecordedRequest {
  readonly method: string;
  /** The request target as it came, query included. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, in their order and spelling. */
  readonly rawHeaders: readonly string[];
  /** Empty until it has arrived whole. */
  readonly body: Buffer;
  /** The body as JSON; undefined when it is none. */
  json(): unknown;
  /** Status of the answer, once decided. */
  readonly status: number | undefined;
  /** How it ended; undefined while it runs. */
  readonly ended: Delivery | undefined;
}

/** The record as its owner, the server, writes it. */
export interface OpenRecord extends RecordedRequest {
  body: Buffer;
  status: number | undefined;
  ended: Delivery | undefined;
}

const recordsMax = 2_000;
const bodyBytesMax = 128 * 1024 * 1024;

export interface Recorder {
  /** Oldest first; the same array for the simulator's whole life. */
  readonly requests: readonly RecordedRequest[];
  open(request: IncomingMessage): OpenRecord;
  /** Stores the body and forgets the oldest requests where the bounds ask for it. */
  received(record: OpenRecord, body: Buffer): void;
  clear(): void;
}

export function createRecorder(): Recorder {
  const requests: OpenRecord[] = [];
  let heldBytes = 0;
  const forgetOldest = () => {
    heldBytes -= requests.shift()?.body.length ?? 0;
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
      // A record that was forgotten or cleared meanwhile holds no bytes of the bound.
      if (!requests.includes(record)) return;
      record.body = body;
      heldBytes += body.length;
      while (heldBytes > bodyBytesMax && requests.length > 1) forgetOldest();
    },
    clear() {
      requests.length = 0;
      heldBytes = 0;
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
