// Sends a request with a stream as its body, as fast as the connection takes it. The head goes with the first bytes: a
// request whose body never begins is not seen by the server.
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { RequestHead } from './request.ts';

export interface BodySenderDeps {
  readonly socket: Socket;
  readonly head: RequestHead;
  /** The body failed, or is not of the announced length. */
  onError(error: Error): void;
}

export class BodySender {
  readonly #body: Readable;
  readonly #deps: BodySenderDeps;
  #sent = 0;
  #isDone = false;

  constructor(body: Readable, deps: BodySenderDeps) {
    this.#body = body;
    this.#deps = deps;
    body.on('data', (bytes: Buffer | string) => this.#send(typeof bytes === 'string' ? Buffer.from(bytes) : bytes));
    body.once('end', () => this.#end());
    body.once('error', (error) => this.#fail(error));
    body.once('close', () => this.#fail(endedEarly()));
    // Its events were before this.
    if (body.destroyed) queueMicrotask(() => this.#fail(endedEarly()));
  }

  /** Whether the server has all of it, or will have. */
  get isSent(): boolean {
    return this.#isDone || this.#sent === this.#deps.head.length;
  }

  /** The connection takes more. */
  readonly resume = (): void => void this.#body.resume();

  /** The exchange is over: nothing more is sent. */
  stop(): void {
    this.#isDone = true;
    this.#body.destroy();
  }

  #send(bytes: Buffer): void {
    if (this.#isDone || bytes.length === 0) return;
    const { socket, head } = this.#deps;
    const { length } = head;
    const isFirst = this.#sent === 0;
    this.#sent += bytes.length;
    if (length !== undefined && this.#sent > length) {
      this.#fail(wrongLength());
      return;
    }
    socket.cork();
    if (isFirst) socket.write(head.text, 'latin1');
    if (length === undefined) socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    let takesMore = socket.write(bytes);
    if (length === undefined) takesMore = socket.write('\r\n', 'latin1');
    socket.uncork();
    if (takesMore) return;
    this.#body.pause();
    socket.once('drain', this.resume);
  }

  #end(): void {
    if (this.#isDone) return;
    const {
      socket,
      head: { length, text },
    } = this.#deps;
    if (length !== undefined && this.#sent !== length) this.#fail(wrongLength());
    else {
      this.#isDone = true;
      if (this.#sent === 0) socket.write(text, 'latin1');
      if (length === undefined) socket.write('0\r\n\r\n', 'latin1');
    }
  }

  #fail(error: Error): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#body.destroy();
    this.#deps.onError(error);
  }
}

function endedEarly(): Error {
  return new Error('the body of the request ended early');
}

function wrongLength(): Error {
  return new Error('the body of the request is not of the announced length');
}
