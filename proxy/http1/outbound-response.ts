// A response that the engine writes: the head with the first bytes of the body, and what is written in one tick in one
// write and one chunk. These are the bytes of node:http, so that callers cannot distinguish the two.
import { EventEmitter } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { lengthForm, nameForm, valueForm } from './grammar.ts';
import type { PlainHead } from './request-head.ts';

/** What all responses of a connection have in common. */
export interface ResponseOptions {
  /** Announced to callers. */
  readonly keepAliveSeconds: number;
  /** The last byte was passed to the system. */
  onFinished(): void;
}

type Body = 'length' | 'chunked' | 'none';

/** Events: `drain`, and `close` at the end or when the connection is gone. */
export class OutboundResponse extends EventEmitter {
  readonly #socket: Socket;
  readonly #options: ResponseOptions;
  /** The head, until it is sent with the first bytes. */
  #head: string | undefined;
  #body: Body = 'none';
  #added = '';
  /** Written in this tick. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  /** The writer waits for `drain`. */
  #isFull = false;
  #onWritten: (() => void) | undefined;
  /** The caller waits for `100 Continue`. */
  #expectsContinue: boolean;
  #isEnded = false;
  #isCut = false;
  #isClosed = false;
  headersSent = false;
  writableFinished = false;
  shouldKeepAlive: boolean;

  /** @param request whose response it is */
  constructor(socket: Socket, request: Pick<PlainHead, 'persists' | 'expectsContinue'>, options: ResponseOptions) {
    super();
    this.#socket = socket;
    this.#options = options;
    this.#expectsContinue = request.expectsContinue;
    this.shouldKeepAlive = request.persists;
  }

  /** All that was written is on its way when somebody else ends it. */
  get socket(): Socket | null {
    if (this.#isClosed) return null;
    this.flush();
    return this.#socket;
  }

  get destroyed(): boolean {
    return this.#isCut || this.#isClosed;
  }

  /** Whether nothing can be sent any more. */
  get isOver(): boolean {
    return this.#isCut || this.#isClosed || this.#isEnded;
  }

  /** @throws TypeError */
  setHeader(name: string, value: string): void {
    this.#added += fieldOf(name, value);
  }

  /**
   * @param headers alternating names and values
   * @throws TypeError that names a header that cannot be sent; Error after the head
   */
  writeHead(status: number, headers: readonly string[]): void {
    if (this.headersSent) throw new Error('the head of the response was written before');
    // Its caller may send the body, or not.
    if (this.#expectsContinue) this.shouldKeepAlive = false;
    const { fields, isDated, connection, length } = fieldsOf(headers);
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${this.#added}${fields}`;
    if (!isDated) head += dateField();
    if (connection === 'close') this.shouldKeepAlive = false;
    if (connection === undefined) head += this.shouldKeepAlive ? this.#keepAlive : 'Connection: close\r\n';
    if (status === 204 || status === 304) this.#body = 'none';
    else this.#body = length === undefined ? 'chunked' : 'length';
    if (this.#body === 'chunked') head += 'Transfer-Encoding: chunked\r\n';
    this.#head = `${head}\r\n`;
    this.headersSent = true;
  }

  writeContinue(): void {
    this.#expectsContinue = false;
    if (!this.isOver) this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  write(bytes: Buffer | string, written?: () => void): boolean {
    if (this.isOver) return false;
    const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#pending.push(body);
    this.#pendingBytes += body.length;
    if (written !== undefined) this.#onWritten = written;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      process.nextTick(flush, this);
    }
    this.#isFull = this.#socket.writableLength + this.#pendingBytes >= this.#socket.writableHighWaterMark;
    return !this.#isFull;
  }

  /** Passes on what was written in this tick. */
  flush(): void {
    this.#isScheduled = false;
    const written = this.#onWritten;
    this.#onWritten = undefined;
    if (this.#pending.length === 0 || this.isOver) return;
    const bytes = this.#framed('');
    if (bytes.length === 0 && written === undefined) return;
    // The system may have taken all of it at once.
    if (this.#socket.write(bytes, written)) this.drain();
  }

  /** The connection takes more. */
  drain(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.emit('drain');
  }

  end(last?: Buffer | (() => void)): void {
    if (this.isOver) return;
    const [body, finished] = typeof last === 'function' ? [empty, last] : [last ?? empty, undefined];
    this.#isEnded = true;
    const written = this.#onWritten;
    if (body.length > 0) {
      this.#pending.push(body);
      this.#pendingBytes += body.length;
    }
    const whole = this.#framed(this.#body === 'chunked' ? '0\r\n\r\n' : '');
    this.#socket.write(whole, (error) => {
      // A failure of the connection: it closes.
      if (error) return;
      written?.();
      this.#finish(finished);
    });
  }

  destroy(): void {
    this.#isCut = true;
    this.#socket.destroy();
  }

  /** Nothing more is written: the connection had a fault, and got the response to that. */
  cut(): void {
    this.#isCut = true;
  }

  /** The connection is gone. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.emit('close');
  }

  get #keepAlive(): string {
    return `Connection: keep-alive\r\nKeep-Alive: timeout=${this.#options.keepAliveSeconds}\r\n`;
  }

  /** What was written in this tick, with what comes before and after it. */
  #framed(after: string): Buffer {
    const head = this.#head ?? '';
    const pending = this.#pending;
    const bytes = this.#body === 'none' ? 0 : this.#pendingBytes;
    this.#head = undefined;
    this.#pending = [];
    this.#pendingBytes = 0;
    const isChunk = this.#body === 'chunked' && bytes > 0;
    const before = isChunk ? `${head}${bytes.toString(16)}\r\n` : head;
    const behind = isChunk ? `\r\n${after}` : after;
    const [only] = pending;
    if (before === '' && behind === '' && only !== undefined && pending.length === 1) return only;
    const framed = Buffer.allocUnsafe(before.length + bytes + behind.length);
    let at = framed.write(before, 0, 'latin1');
    if (bytes > 0) for (const one of pending) at += one.copy(framed, at);
    framed.write(behind, at, 'latin1');
    return framed;
  }

  #finish(finished: (() => void) | undefined): void {
    if (this.destroyed) return;
    this.writableFinished = true;
    finished?.();
    this.close();
    this.#options.onFinished();
  }
}

const empty = Buffer.alloc(0);

function flush(response: OutboundResponse): void {
  response.flush();
}

/** Names that can be sent. Most responses have the same ones, and looking one up is cheaper than reading it. */
const checkedNames = new Set<string>();
const checkedNamesMax = 256;

/** @throws TypeError */
function checkName(name: string): void {
  if (!nameForm.test(name)) throw unsendable('?');
  if (checkedNames.size < checkedNamesMax) checkedNames.add(name);
}

interface Fields {
  fields: string;
  isDated: boolean;
  connection: string | undefined;
  length: string | undefined;
}

/** @throws TypeError */
function fieldsOf(headers: readonly string[]): Fields {
  const found: Fields = { fields: '', isDated: false, connection: undefined, length: undefined };
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    found.fields += fieldOf(name, value);
    // Of these lengths are the names that matter here.
    if (name.length === 4) found.isDated ||= name.toLowerCase() === 'date';
    else if (name.length === 10 && name.toLowerCase() === 'connection') found.connection = value.toLowerCase();
    else if (name.length === 14 && name.toLowerCase() === 'content-length') found.length = lengthOf(value);
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') throw unsendable(name);
  }
  return found;
}

function lengthOf(value: string): string {
  if (!lengthForm.test(value)) throw unsendable('content-length');
  return value;
}

/** @throws TypeError that names what cannot be sent, never its value */
function fieldOf(name: string, value: string): string {
  if (!checkedNames.has(name)) checkName(name);
  if (!valueForm.test(value)) throw unsendable(name);
  return `${name}: ${value}\r\n`;
}

function unsendable(name: string): TypeError {
  return new TypeError(`the header ${name} of the response cannot be sent`);
}

let dateSecond = 0;
let dateText = '';

/** Made once a second. */
function dateField(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateText;
}
