// What a wire format's folder provides and what the server hands to it. A format does no I/O: a request in, an answer out.
import type { IncomingHttpHeaders } from 'node:http';
import type { Behaviour } from './behaviour.ts';

export interface Received {
  readonly method: string;
  /** Without the query, as it came: nothing is decoded. */
  readonly path: string;
  /** Behind the `?`; empty without one. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface SimulatedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One part per event of a stream, produced while it is sent; else the body as one part. */
  readonly parts: Iterable<string | Buffer>;
  readonly behaviour: Behaviour;
}

export interface ResponseContext {
  /** Keys accepted besides the simulator's own form. */
  readonly keys: ReadonlySet<string>;
  /** What a test scripted for this request, if anything. Asked once, after the request was found valid. */
  scripted(): Behaviour | undefined;
  /** Unix seconds. */
  readonly now: number;
  /** Counts answers from 1: ids differ and are the same in every run. */
  readonly sequence: number;
}

export interface WireFormat {
  /** Every path below it is this format's. */
  readonly basePath: string;
  respond(received: Received, context: ResponseContext): SimulatedResponse;
}
