// Reads the head of a response (RFC 9112, sections 4 to 6). Whatever two programs could read differently is refused.
import type { IncomingHttpHeaders } from 'node:http';
import { ProtocolError } from './errors.ts';
import { fieldLine, lengthForm, statusLine } from './grammar.ts';

export interface ResponseHead {
  readonly status: number;
  /** By name in lower case. A header that occurs several times is a list. */
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as received, one character for each byte. */
  readonly raw: readonly string[];
  readonly framing: Framing;
  /** Whether the connection can take another request after this response. */
  readonly persists: boolean;
  /** How long the other end keeps the connection when it is idle, if it says so. */
  readonly keptMs: number | undefined;
}

/**
 * The end of a body: there is none; after so many bytes; with the last chunk; with the connection. Of the last one, only
 * the content shows whether it was cut: that of JSON and of event streams does.
 */
export type Framing = 'none' | number | 'chunked' | 'close';

const framingNames: ReadonlySet<string> = new Set(['transfer-encoding', 'content-length']);
const keptForm = /(?:^|[;,\s])timeout=(\d{1,9})/i;

/**
 * @param text of the head without the empty line at its end, one character for each byte
 * @param method of the request: a response to HEAD has no body
 * @throws ProtocolError
 */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const lines = text.split('\r\n');
  const start = statusLine.exec(lines[0] ?? '');
  if (start === null) throw new ProtocolError('the status line is not valid');
  const status = Number(start[2]);
  const { headers, raw } = parseFields(lines);
  const isOld = start[1] === '0';
  const framing = framingOf({ status, headers, method, isOld });
  const keptSeconds = keptForm.exec(textOf(headers['keep-alive']))?.[1];
  return {
    ...{ status, headers, raw, framing },
    persists: framing !== 'close' && persists(headers, isOld),
    keptMs: keptSeconds === undefined ? undefined : Number(keptSeconds) * 1000,
  };
}

/** A trailer that would define the end of the response (RFC 9110, section 6.5.1) comes too late. @throws ProtocolError */
export function checkTrailer(line: string): void {
  const name = fieldLine.exec(line)?.[1];
  if (name === undefined || framingNames.has(name.toLowerCase())) throw new ProtocolError('a trailer is not valid');
}

function parseFields(lines: readonly string[]): Pick<ResponseHead, 'headers' | 'raw'> {
  // Without a prototype, so that no name means anything else.
  const headers: IncomingHttpHeaders = Object.create(null);
  const raw: string[] = [];
  for (let at = 1; at < lines.length; at++) {
    const field = fieldLine.exec(lines[at] ?? '');
    if (field === null) throw new ProtocolError('a header is not valid');
    const [, name = '', padded = ''] = field;
    const value = withoutEnd(padded);
    raw.push(name, value);
    const known = name.toLowerCase();
    // Other programs take a padded one for another word, and the body for one without chunks.
    if (value !== padded && framingNames.has(known)) throw new ProtocolError(`the header ${known} has white space`);
    add(headers, known, value);
  }
  return { headers, raw };
}

function add(headers: IncomingHttpHeaders, name: string, value: string): void {
  const known = headers[name];
  if (known === undefined) headers[name] = value;
  else if (typeof known === 'string') headers[name] = [known, value];
  else known.push(value);
}

/** `trimEnd` would also remove bytes that are white space in Latin-1. */
function withoutEnd(value: string): string {
  let end = value.length;
  while (end > 0 && (value[end - 1] === ' ' || value[end - 1] === '\t')) end--;
  return value.slice(0, end);
}

function textOf(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}

/** A connection of HTTP/1.0 closes unless the response says otherwise; one of HTTP/1.1 persists unless it does. */
function persists({ connection }: IncomingHttpHeaders, isOld: boolean): boolean {
  if (connection === undefined) return !isOld;
  const options = textOf(connection)
    .split(',')
    .map((option) => option.trim().toLowerCase());
  return !options.includes('close') && (!isOld || options.includes('keep-alive'));
}

interface Framed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly isOld: boolean;
}

function framingOf({ status, headers, method, isOld }: Framed): Framing {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'] as string | readonly string[] | undefined;
  if (coding !== undefined) {
    if (length !== undefined) throw new ProtocolError('the response has both a length and a transfer coding');
    if (isOld) throw new ProtocolError('a response of HTTP/1.0 has a transfer coding');
    if (textOf(coding).toLowerCase() !== 'chunked') throw new ProtocolError('the transfer coding is not chunked');
  }
  if (length !== undefined && (typeof length !== 'string' || !lengthForm.test(length))) {
    throw new ProtocolError('the length of the response is not one number');
  }
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') return 'none';
  if (coding !== undefined) return 'chunked';
  if (length !== undefined) return length === '0' ? 'none' : Number(length);
  return 'close';
}
