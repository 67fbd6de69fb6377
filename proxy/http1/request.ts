// Writes the head of a request. Nothing that a caller chooses can end a line or add a header.
import type { Readable } from 'node:stream';
import { lengthForm, nameForm, valueForm } from './grammar.ts';

export interface Request {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  /** Alternating names and values. Connection, Content-Length and Transfer-Encoding are the engine's. */
  readonly headers: readonly string[];
  /**
   * A text is sent with its length. A stream is read once there is a connection, sent with the length in the headers or
   * else in chunks, and destroyed when the exchange is over.
   */
  readonly body: string | Readable | undefined;
}

export interface RequestHead {
  readonly text: string;
  /** Bytes of the body; undefined: it is sent in chunks. */
  readonly length: number | undefined;
}

const methodForm = /^[A-Z]{1,32}$/;
const pathForm = /^\/[\x21-\x7e]*$/;

/**
 * @param host the value of the header Host, unless the request has one
 * @throws TypeError that names what cannot be sent, never its value
 */
export function writeRequestHead({ method, path, headers, body }: Request, host: string): RequestHead {
  if (!methodForm.test(method)) throw new TypeError('the method of the request is not valid');
  if (!pathForm.test(path)) throw new TypeError('the path of the request is not valid');
  let fields = '';
  let hostField = `host: ${host}\r\n`;
  let given: number | undefined;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    if (!nameForm.test(name) || !valueForm.test(value)) throw new TypeError(`the header ${shown(name)} is not valid`);
    const field = `${name}: ${value}\r\n`;
    switch (name.toLowerCase()) {
      case 'host':
        hostField = field;
        break;
      case 'content-length':
        given = lengthOf(value);
        break;
      case 'connection':
      case 'keep-alive':
        break;
      case 'transfer-encoding':
      case 'upgrade':
      case 'expect':
        throw new TypeError(`the header ${shown(name)} cannot be sent`);
      default:
        fields += field;
    }
  }
  const length = bodyLength(method, body, given);
  const framing = length === undefined ? 'transfer-encoding: chunked\r\n' : `content-length: ${length}\r\n`;
  const framed = body === undefined && !hasBody.has(method) ? '' : framing;
  return { length, text: `${method} ${path} HTTP/1.1\r\n${hostField}connection: keep-alive\r\n${fields}${framed}\r\n` };
}

/** Without a body they announce one of no bytes. */
const hasBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function bodyLength(method: string, body: Request['body'], given: number | undefined): number | undefined {
  if (body !== undefined && typeof body !== 'string') return given;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (given !== undefined && given !== length && method !== 'HEAD') {
    throw new TypeError('the length of the body is not the announced one');
  }
  return length;
}

function lengthOf(value: string): number {
  if (!lengthForm.test(value)) throw new TypeError('the header content-length is not valid');
  return Number(value);
}

function shown(name: string): string {
  return nameForm.test(name) ? name : '?';
}
