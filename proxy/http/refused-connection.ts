// Responses to what never became a request: a head that is not valid, is too large or does not end. They have the same
// error envelope as all others.
import type { Socket } from 'node:net';
import { type ErrorCode, errorTable, GatewayError } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import type { InboundResponse } from './inbound.ts';
import { envelope } from './respond.ts';

export interface RefusalOptions {
  /** The unfinished requests, at any time. */
  open(): Iterable<Exchange>;
  /** Input that never became a request; only its error is known. */
  onMalformed(code: ErrorCode): void;
}

/** Time for the peer to read the last response. */
const lingerMs = 1000;

/** @param error of the parser of node:http */
export function malformedCode(error: Error): ErrorCode {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code === 'HPE_INVALID_METHOD' && isRequestLine(error) ? 'method_not_allowed' : 'invalid_request';
}

/** Whether the input looks like a request line. A TLS handshake or another protocol on the wrong port does not. */
function isRequestLine(error: Error): boolean {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  return /^[A-Z-]+ \S+ HTTP\/1\.[01]\r?\n/.test(packet.toString('latin1', 0, 4096));
}

interface Refusal {
  readonly status: number;
  /** Alternating names and values. */
  readonly headers: string[];
  readonly body: string;
}

function refusalOf(code: ErrorCode): Refusal {
  const message = code === 'invalid_request' ? 'the request is not valid HTTP/1.1' : errorTable[code].message;
  const { status } = new GatewayError(code);
  const body = envelope({ status, message, param: undefined, code });
  const headers = [
    ...['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))],
    ...['x-svc-error-source', 'gateway', 'x-svc-error-code', code],
    ...(code === 'method_not_allowed' ? ['allow', 'GET, POST'] : []),
    ...['connection', 'close'],
  ];
  return { status, headers, body };
}

/** Sends an error response to a request that was read, but is none of the request path's. */
export function respondRefused(
  response: InboundResponse,
  code: ErrorCode,
  { onMalformed }: Pick<RefusalOptions, 'onMalformed'>,
): void {
  onMalformed(code);
  const { status, headers, body } = refusalOf(code);
  response.writeHead(status, headers);
  response.end(Buffer.from(body));
}

/** Sends an error response on a socket without a parsed request, if that is still possible. */
export function refuse(socket: Socket, code: ErrorCode, { open, onMalformed }: RefusalOptions): void {
  // A connection that was reset, or is in the middle of a response, cannot get an error response.
  const isResponding = [...open()].some(({ request, response }) => request.socket === socket && response.headersSent);
  if (!socket.writable || isResponding) return void socket.destroy();
  onMalformed(code);
  const { status, headers, body } = refusalOf(code);
  const lines = [`HTTP/1.1 ${status} ${code.replaceAll('_', ' ')}`];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  // The peer could keep its end open forever.
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}
