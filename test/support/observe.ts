// One request through the gateway with everything observable of it: the received response, how it ended, and its line
// in the access log.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { TestGateway } from './gateway.ts';
import { until } from './process.ts';

export interface Observed {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** `cut`: the connection broke before the end of the response. */
  readonly end: 'clean' | 'cut';
  readonly line: AccessLine;
  /** The error of the envelope, or of the last event of a stream. */
  readonly error: WireError | undefined;
}

export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

export type AccessLine = Readonly<Record<string, unknown>>;

export interface ObservedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

// Not fetch, which repeats a request when a response says so.
const agent = new Agent({ keepAlive: true });
let count = 0;

/** @param url of the route; the request gets its own id */
export async function observe(
  gateway: Pick<TestGateway, 'logs'>,
  url: string,
  sent: ObservedRequest,
): Promise<Observed> {
  count++;
  const id = `observed-${process.pid}-${count}`;
  const { method, body } = sent;
  const outgoing = request(url, { agent, method, headers: { ...sent.headers, 'x-request-id': id } });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const received = await readAll(response);
  return {
    ...{ status: response.statusCode ?? 0, headers: headersOf(response), ...received },
    line: await accessLine(gateway, id),
    error: errorOf(received.body),
  };
}

function readAll(response: IncomingMessage): Promise<Pick<Observed, 'body' | 'end'>> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', () => undefined);
    response.once('close', () => {
      resolve({ body: Buffer.concat(chunks).toString(), end: response.complete ? 'clean' : 'cut' });
    });
  });
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  return headers;
}

/** The request's line; fails if there is none in time, or more than one. */
export async function accessLine(gateway: Pick<TestGateway, 'logs'>, requestId: string): Promise<AccessLine> {
  const lines = await until(() => nonEmpty(accessLines(gateway, requestId)), {
    what: `the access-log line of ${requestId}`,
  });
  if (lines.length > 1) throw new Error(`${requestId} has more than one line: ${JSON.stringify(lines)}`);
  return lines[0] ?? {};
}

export function accessLines(gateway: Pick<TestGateway, 'logs'>, requestId: string): AccessLine[] {
  return gateway.logs
    .filter((line) => line.includes(`"request_id":"${requestId}"`))
    .map((line) => JSON.parse(line) as AccessLine)
    .filter((line) => line.msg === 'request');
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function errorOf(body: string): WireError | undefined {
  const text = body.startsWith('{') ? body : body.slice(body.lastIndexOf('data: ') + 'data: '.length);
  try {
    return (JSON.parse(text) as { error?: WireError }).error;
  } catch {
    return undefined;
  }
}
