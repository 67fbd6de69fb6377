// One connection of a caller: one request and its response after another. A request that follows before the response is
// out waits. The first request that is not in the plain form takes the connection with it, for good, to node:http.
import type { Socket } from 'node:net';
import { InboundRequest } from './inbound-request.ts';
import { OutboundResponse, type ResponseOptions } from './outbound-response.ts';
import { type PlainHead, readHead } from './request-head.ts';

/** What ends a connection that got no whole request: a body or an end that is not valid, or the time for a head. */
export type Fault = 'not_valid' | 'timeout';

export interface ServerConnectionDeps {
  readonly headBytesMax: number;
  readonly keepAliveSeconds: number;
  onRequest(request: InboundRequest, response: OutboundResponse, expectsContinue: boolean): void;
  /** From now on the connection is another server's. @param bytes from the first one of the request */
  onOther(socket: Socket, bytes: Buffer, to: 'other' | 'http2'): void;
  /** The receiver responds, if it can, and ends the connection. */
  onFault(socket: Socket, fault: Fault): void;
  onClosed(connection: ServerConnection): void;
}

export class ServerConnection {
  readonly socket: Socket;
  readonly #deps: ServerConnectionDeps;
  readonly #responses: ResponseOptions;
  /** Of a request whose body or response is not complete. */
  #request: InboundRequest | undefined;
  #response: OutboundResponse | undefined;
  /** The start of a head, or what followed the request before its response was out. */
  #waiting: Buffer | undefined;
  /** So many bytes of it are known to be the start of a head. */
  #known = 0;
  #isFaulty = false;
  #hasServed = false;
  /** When the first byte of a head arrived, or the connection became idle; of the clock of `performance`. */
  #since = performance.now();

  constructor(socket: Socket, deps: ServerConnectionDeps) {
    this.socket = socket;
    this.#deps = deps;
    this.#responses = { keepAliveSeconds: deps.keepAliveSeconds, onFinished: () => this.#finished() };
    socket.on('data', this.#onData).on('end', this.#onEnd).on('drain', this.#onDrain);
    socket.on('error', ignore).on('close', this.#onClose);
  }

  /** No request is being received or served. */
  get isIdle(): boolean {
    return this.#request === undefined && this.#waiting === undefined && this.#hasServed;
  }

  /** What it waits for: the first head or the rest of one, or a caller who sends nothing; undefined: a response. */
  get waitsFor(): 'head' | 'caller' | undefined {
    if (this.#response !== undefined || this.#isFaulty) return undefined;
    return this.#request === undefined && (this.#waiting !== undefined || !this.#hasServed) ? 'head' : 'caller';
  }

  waitedMs(now: number): number {
    return now - this.#since;
  }

  /** The time for a head is over. */
  expire(): void {
    this.#fault('timeout');
  }

  readonly #onData = (bytes: Buffer): void => {
    // Its last response was sent: nobody reads what follows.
    if (this.#isFaulty || !this.socket.writable) return;
    const request = this.#request;
    if (request === undefined) this.#read(this.#waiting === undefined ? bytes : Buffer.concat([this.#waiting, bytes]));
    else if (!this.#takeBody(request, bytes)) this.#fault('not_valid');
    else if (request.complete) this.#next();
  };

  #read(bytes: Buffer): void {
    const { headBytesMax, onOther } = this.#deps;
    const head = readHead(bytes, headBytesMax, this.#known);
    if (head === 'more') {
      if (this.#waiting === undefined && this.#hasServed) this.#since = performance.now();
      // A piece of a large read would keep all of it in memory.
      this.#waiting = Buffer.from(bytes);
      this.#known = bytes.length;
      return;
    }
    this.#waiting = undefined;
    this.#known = 0;
    if (typeof head === 'object') this.#start(head, bytes);
    else {
      this.#leave();
      onOther(this.socket, bytes, head);
    }
  }

  #start(head: PlainHead, bytes: Buffer): void {
    const { expectsContinue, length } = head;
    const request = new InboundRequest(head, this.socket);
    const response = new OutboundResponse(this.socket, head, this.#responses);
    this.#request = request;
    this.#response = response;
    this.#hasServed = true;
    const isValid = bytes.length === length || this.#takeBody(request, bytes.subarray(length));
    this.#deps.onRequest(request, response, expectsContinue);
    if (!isValid) this.#fault('not_valid');
  }

  /** @returns false if the body is not valid */
  #takeBody(request: InboundRequest, bytes: Buffer): boolean {
    try {
      const at = request.complete ? 0 : request.push(bytes);
      if (at < bytes.length) this.#keep(bytes.subarray(at));
      return true;
    } catch {
      return false;
    }
  }

  /** At most one head, or one read. */
  #keep(bytes: Buffer): void {
    this.#waiting = this.#waiting === undefined ? Buffer.from(bytes) : Buffer.concat([this.#waiting, bytes]);
    if (this.#waiting.length >= this.#deps.headBytesMax) this.socket.pause();
  }

  /** The response is out. The rest of a body that nobody read is discarded. */
  #finished(): void {
    const request = this.#request;
    const closes = this.#response?.shouldKeepAlive === false;
    this.#response = undefined;
    this.#since = performance.now();
    if (closes) {
      this.#isFaulty = true;
      this.socket.destroySoon();
    } else if (request?.complete === false) request.discard();
    else this.#next();
  }

  /** Reads the request that waits, once the one before and its response are complete. */
  #next(): void {
    if (this.#response !== undefined || this.#request?.complete !== true || this.#isFaulty) return;
    this.#request = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.socket.isPaused()) this.socket.resume();
    if (waiting !== undefined) this.#read(waiting);
  }

  readonly #onEnd = (): void => {
    if (this.#isFaulty) return;
    const isCut = this.#request === undefined ? this.#waiting !== undefined : !this.#request.complete;
    if (isCut) this.#fault('not_valid');
    else this.socket.end();
  };

  readonly #onDrain = (): void => this.#response?.drain();

  readonly #onClose = (): void => {
    this.#isFaulty = true;
    this.#response?.close();
    this.#response = undefined;
    this.#deps.onClosed(this);
  };

  #fault(fault: Fault): void {
    if (this.#isFaulty) return;
    this.#isFaulty = true;
    this.#response?.cut();
    this.#deps.onFault(this.socket, fault);
    // What still comes is discarded, so that the response arrives.
    this.socket.resume();
  }

  /** Every trace of the engine goes, before another server gets the socket. */
  #leave(): void {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('drain', this.#onDrain);
    socket.off('error', ignore).off('close', this.#onClose);
    this.#deps.onClosed(this);
  }
}

function ignore(): void {}
