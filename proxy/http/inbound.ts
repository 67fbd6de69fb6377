// A request and its response as the request path sees them, whichever server reads them: the engine (proxy/http1),
// node:http, or node:http2. The objects of node:http have this form already.
import type { Socket } from 'node:net';

export interface InboundRequest {
  readonly method?: string | undefined;
  /** The target, as it was received. */
  readonly url?: string | undefined;
  /** Alternating names and values, as received, one character for each byte. */
  readonly rawHeaders: readonly string[];
  /** 0 for HTTP/1.0. */
  readonly httpVersionMinor: number;
  /** Whether all of the body has arrived. */
  readonly complete: boolean;
  readonly socket: Socket;
  /** The body flows from the first listener for data on, unless it is paused. */
  on(event: 'data', listener: (bytes: Buffer) => void): this;
  once(event: 'end', listener: () => void): this;
  once(event: 'error', listener: (error: Error) => void): this;
  off(event: 'data', listener: (bytes: Buffer) => void): this;
  off(event: 'end', listener: () => void): this;
  removeAllListeners(event: 'data'): unknown;
  isPaused(): boolean;
  pause(): unknown;
  /** Without a listener for data, the body is discarded. */
  resume(): unknown;
}

export interface InboundResponse {
  /** Null once the response is complete, or without a connection. */
  readonly socket: Socket | null;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  /** Whether all of it was passed to the system. */
  readonly writableFinished: boolean;
  /** False: the connection closes after the response. Read when the head is written. */
  shouldKeepAlive: boolean;
  setHeader(name: string, value: string): unknown;
  /** @param headers alternating names and values */
  writeHead(status: number, headers: string[]): unknown;
  writeContinue(): void;
  /** @returns false: the caller should wait for `drain` */
  write(bytes: Buffer | string, written?: () => void): boolean;
  end(body?: Buffer): unknown;
  end(finished: () => void): unknown;
  /** Cuts the connection; in HTTP/2 the stream. */
  destroy(): unknown;
  on(event: 'drain', listener: () => void): unknown;
  /** After the last byte was passed to the system, or when the connection is gone. */
  once(event: 'close', listener: () => void): unknown;
}

/** @returns all values of the header, joined as node:http joins them @param name in lower case */
export function joinedValues({ rawHeaders }: Pick<InboundRequest, 'rawHeaders'>, name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name) continue;
    joined = joined === undefined ? rawHeaders[at + 1] : `${joined}, ${rawHeaders[at + 1]}`;
  }
  return joined;
}
