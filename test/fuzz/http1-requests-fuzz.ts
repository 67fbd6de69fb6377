// The engine's reading of requests beside that of node:http's parser. Of all bytes up to the first request that is not
// the engine's, both see the same requests; whatever the parser refuses, the engine does not accept.
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { InboundRequest } from '../../proxy/http1/inbound-request.ts';
import { readHead } from '../../proxy/http1/request-head.ts';
import { Random } from '../support/access/random.ts';
import type { SeenRequest } from '../support/http1-listener.ts';
import { changedRequest } from './http1-request-forms.ts';

export interface RequestsFuzzOptions {
  readonly seed: number;
  readonly cases: number;
}

/** What a reader saw of the bytes of one connection. */
export interface RequestsReading {
  readonly requests: readonly SeenRequest[];
  /** A request whose body has not ended. */
  readonly begun: Omit<SeenRequest, 'body'> | undefined;
  readonly ending: 'whole' | 'more' | 'other' | 'fault';
}

const headBytesMax = 16_384;

/** @returns how often each outcome was seen @throws Error that names the first case in which the two differ */
export function fuzzRequests({ seed, cases }: RequestsFuzzOptions): ReadonlyMap<string, number> {
  const outcomes = new Map<string, number>();
  for (let number = seed; number < seed + cases; number++) {
    const text = changedRequest(new Random(number));
    const bytes = Buffer.from(text, 'latin1');
    const ours = readByEngine(bytes);
    const theirs = readByParser(bytes);
    const problem = differenceOf(ours, theirs);
    if (problem !== undefined) {
      throw new Error(
        `case ${number}: ${problem}\n${JSON.stringify(text)}\n${JSON.stringify({ ours, theirs }, undefined, 1)}`,
      );
    }
    const outcome = outcomeOf(ours, theirs);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}

function differenceOf(ours: RequestsReading, theirs: RequestsReading): string | undefined {
  if (theirs.requests.length < ours.requests.length) return "node:http's parser refuses it";
  for (const [at, request] of ours.requests.entries()) {
    if (shown(request) !== shown(theirs.requests[at])) return "node:http's parser reads it differently";
  }
  if (ours.begun === undefined) return undefined;
  const after = theirs.requests[ours.requests.length] ?? theirs.begun;
  if (after === undefined) return "node:http's parser refuses the head";
  const { method, target, headers } = after;
  return shown(ours.begun) === shown({ method, target, headers }) ? undefined : 'the heads differ';
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}

function outcomeOf(ours: RequestsReading, theirs: RequestsReading): string {
  const count = ours.requests.length > 0 ? 'accepted' : 'nothing accepted';
  const parser = theirs.ending === 'fault' ? 'refuses' : 'accepts';
  return `${count}, then ${ours.ending}; node:http ${parser}`;
}

const socket = new Socket();

export function readByEngine(bytes: Buffer): RequestsReading {
  const requests: SeenRequest[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const head = readHead(rest, headBytesMax);
    if (head === 'more') return { requests, begun: undefined, ending: 'more' };
    if (typeof head === 'string') return { requests, begun: undefined, ending: 'other' };
    const request = new InboundRequest(head, socket);
    let body = '';
    request.on('data', (piece) => {
      body += piece.toString('latin1');
    });
    request.flowNow();
    const { method, target, rawHeaders: headers } = head;
    rest = rest.subarray(head.length);
    try {
      if (!request.complete) rest = rest.subarray(request.push(rest));
    } catch {
      return { requests, begun: { method, target, headers }, ending: 'fault' };
    }
    if (!request.complete) return { requests, begun: { method, target, headers }, ending: 'more' };
    requests.push({ method, target, headers, body });
    // What follows the last request of a connection is not read.
    if (!head.persists) break;
  }
  return { requests, begun: undefined, ending: 'whole' };
}

/** The part of node:http's parser that is used here. */
interface Parser {
  [callback: number]: unknown;
  initialize(kind: number, resource: object, headBytesMax: number, lenient: number): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
  close(): void;
}
interface ParserClass {
  new (): Parser;
  readonly REQUEST: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}
const { HTTPParser, methods }: { HTTPParser: ParserClass; methods: readonly string[] } = createRequire(import.meta.url)(
  'node:_http_common',
);

export function readByParser(bytes: Buffer): RequestsReading {
  const requests: SeenRequest[] = [];
  let begun: Omit<SeenRequest, 'body'> | undefined;
  let body = '';
  let early: string[] = [];
  let url = '';
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.REQUEST, {}, headBytesMax, 0);
  parser[HTTPParser.kOnHeaders] = (some: string[], part: string) => {
    early = [...early, ...some];
    url += part;
  };
  parser[HTTPParser.kOnHeadersComplete] = (
    ...[, , fields, method, target]: [number, number, string[] | undefined, number, string | undefined]
  ) => {
    begun = { method: methods[method] ?? '', target: url + (target ?? ''), headers: [...early, ...(fields ?? [])] };
    early = [];
    url = '';
    return 0;
  };
  parser[HTTPParser.kOnBody] = (piece: Buffer) => {
    body += piece.toString('latin1');
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    if (begun !== undefined) requests.push({ ...begun, body });
    begun = undefined;
    body = '';
  };
  const failure = parser.execute(bytes);
  parser.close();
  return { requests, begun, ending: typeof failure === 'object' ? 'fault' : begun === undefined ? 'whole' : 'more' };
}
