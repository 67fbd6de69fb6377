// One connection to a server: one request and its response after another.
import type { Socket } from 'node:net';
import { BodySender } from './body-sender.ts';
import { ClosedError, ProtocolError } from './errors.ts';
import type { Request, RequestHead } from './request.ts';
import { type ResponseHandler, ResponseReader } from './response-reader.ts';

/** What happens to a request: start, head, data…, then end or error; an error may come at any time. */
export interface ExchangeHandler extends ResponseHandler {
  /** A request whose sender has gone is not sent. */
  readonly isOver: boolean;
  /**
   * A connection takes the request: from here on, some of it may have been sent.
   * @param isKept whether the connection has served a request before
   */
  onStart(control: ExchangeControl, isKept: boolean): void;
  onError(error: Error): void;
}

export interface ExchangeControl {
  pause(): void;
  resume(): void;
  /** Closes the connection; the handler gets the error. */
  abort(error: Error): void;
}

export interface ConnectionDeps {
  readonly headBytesMax: number;
  /** A response is complete, and the connection can take another request. */
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
}

export class Connection implements ExchangeControl {
  readonly #socket: Socket;
  readonly #deps: ConnectionDeps;
  readonly #reader: ResponseReader;
  #handler: ExchangeHandler | undefined;
  #body: BodySender | undefined;
  /** Received while the handler had paused. */
  #kept: Buffer | undefined;
  #isReading = false;
  #hasServed = false;
  readonly openedAt = performance.now();
  /** Until when it may be used again while it is idle; of the clock of `performance`. */
  idleUntil = 0;

  /** @param socket connected, and with TLS verified */
  constructor(socket: Socket, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#reader = new ResponseReader(deps.headBytesMax);
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('end', () => this.#end());
    socket.on('error', (error) => {
      this.#readKept();
      this.#fail(error);
    });
    socket.on('close', () => this.#closed());
  }

  get isUsable(): boolean {
    const { destroyed, readableEnded, writable } = this.#socket;
    return !destroyed && !readableEnded && writable && !this.#reader.isBusy;
  }

  /** How long the other end keeps it, if it announced that. */
  get keptMs(): number | undefined {
    return this.#reader.keptMs;
  }

  /** @param head that was written for the request */
  send(request: Request, head: RequestHead, handler: ExchangeHandler): void {
    const isKept = this.#hasServed;
    this.#hasServed = true;
    this.#handler = handler;
    this.#reader.expect(request.method, this);
    handler.onStart(this, isKept);
    // It may have ended at its start.
    if (this.#handler !== handler) return;
    this.#write(request, head);
  }

  pause(): void {
    if (this.#handler === undefined) return;
    this.#reader.isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (this.#handler === undefined || !this.#reader.isPaused) return;
    this.#reader.isPaused = false;
    // Within a call of the handler: reading continues after it.
    if (this.#isReading) return void this.#socket.resume();
    const kept = this.#kept;
    this.#kept = undefined;
    if (kept !== undefined) this.#receive(kept);
    if (!this.#reader.isPaused) this.#socket.resume();
  }

  abort(error: Error): void {
    this.#fail(error);
  }

  destroy(): void {
    this.#fail(new ClosedError());
  }

  onHead: ResponseHandler['onHead'] = (head) => this.#handler?.onHead(head);
  onData: ResponseHandler['onData'] = (bytes) => this.#handler?.onData(bytes);
  onEnd: ResponseHandler['onEnd'] = () => {
    const handler = this.#handler;
    this.#handler = undefined;
    const body = this.#body;
    this.#body = undefined;
    // The response came before all of the request was sent: the rest would be read as another request.
    const isSent = body?.isSent !== false;
    body?.stop();
    handler?.onEnd();
    this.#reader.isPaused = false;
    if (isSent && this.#reader.persists) this.#socket.resume();
    else this.#socket.destroy();
  };

  #write({ body }: Request, head: RequestHead): void {
    const socket = this.#socket;
    const { text, length } = head;
    if (body === undefined) socket.write(text, 'latin1');
    else if (typeof body !== 'string') {
      this.#body = new BodySender(body, { socket, head, onError: (error) => this.#fail(error) });
    } else if (length === body.length)
      socket.write(text + body, 'latin1'); // one byte for each character
    else {
      socket.cork();
      socket.write(text, 'latin1');
      socket.write(body, 'utf8');
      socket.uncork();
    }
  }

  #receive(bytes: Buffer): void {
    if (this.#reader.isPaused) {
      this.#keep(bytes);
      return;
    }
    try {
      this.#isReading = true;
      const at = this.#reader.read(bytes);
      this.#isReading = false;
      if (at < bytes.length && this.#reader.isPaused) this.#keep(bytes.subarray(at));
      else if (at < bytes.length) throw new ProtocolError('bytes follow the end of the response');
      else if (!this.#reader.isBusy && !this.#socket.destroyed) this.#deps.onIdle(this);
    } catch (error) {
      this.#isReading = false;
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #keep(bytes: Buffer): void {
    this.#kept = this.#kept === undefined ? bytes : Buffer.concat([this.#kept, bytes]);
  }

  /** The other end sends no more. What was received before counts. */
  #end(): void {
    this.#readKept();
    try {
      this.#reader.end();
      this.#socket.destroy();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new ClosedError());
    }
  }

  #readKept(): void {
    const kept = this.#kept;
    this.#kept = undefined;
    this.#reader.isPaused = false;
    if (kept !== undefined) this.#receive(kept);
  }

  #fail(error: Error): void {
    this.#socket.destroy();
    const handler = this.#handler;
    this.#handler = undefined;
    this.#body?.stop();
    this.#body = undefined;
    handler?.onError(error);
  }

  #closed(): void {
    if (this.#handler !== undefined) {
      this.#readKept();
      this.#fail(new ClosedError());
    }
    this.#deps.onClosed(this);
  }
}
