// The interface between the server and a wire format's folder. A format does no I/O: it turns a request into a
// response.
import type { IncomingHttpHeaders } from 'node:http';
import type { Behaviour } from './behaviour.ts';
import type { Memory } from './memory.ts';

export interface Received {
  readonly method: string;
  /** Without the query, as received and not decoded. */
  readonly path: string;
  /** The text after `?`; empty without one. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface SimulatedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One part per event of a stream, produced while the response is sent; otherwise the body as one part. */
  readonly parts: Iterable<string | Buffer>;
  readonly behaviour: Behaviour;
}

export interface ResponseContext {
  /** Accepted keys besides the simulator's own form. */
  readonly keys: ReadonlySet<string>;
  /** The behaviour that a test scripted for this request, if any. Called once, after the request passed all checks. */
  scripted(): Behaviour | undefined;
  /** Unix seconds. */
  readonly now: number;
  /** Counts responses from 1, so that ids differ and are the same in every run. */
  readonly sequence: number;
  readonly memory: Memory;
}

export interface WireFormat {
  /** The format serves every path below it. */
  readonly basePath: string;
  respond(received: Received, context: ResponseContext): SimulatedResponse;
}
