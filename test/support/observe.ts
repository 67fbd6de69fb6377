// One request through the gateway and everything that can be known of it afterwards: the answer as far as it came, how it
// ended, and its line in the access log.
import { chatBody, type TestGateway } from './gateway.ts';
import { until } from './process.ts';

export interface Observed {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** `cut`: the connection broke before the end of the answer. */
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

let count = 0;

/** @param url of the route; the request gets an id of its own */
export async function observe(gateway: TestGateway, url: string, init: RequestInit): Promise<Observed> {
  count++;
  const id = `observed-${process.pid}-${count}`;
  const headers = new Headers(init.headers);
  headers.set('x-request-id', id);
  const response = await fetch(url, { ...init, headers });
  const { body, end } = await readAll(response);
  const line = await accessLine(gateway, id);
  return {
    ...{ status: response.status, headers: response.headers, body, end, line },
    error: errorOf(body),
  };
}

export async function readAll(response: Response): Promise<Pick<Observed, 'body' | 'end'>> {
  const decoder = new TextDecoder();
  let body = '';
  try {
    for await (const chunk of response.body ?? []) body += decoder.decode(chunk, { stream: true });
    return { body, end: 'clean' };
  } catch {
    return { body, end: 'cut' };
  }
}

/** The request's line; fails where there is none in time or more than one. */
export async function accessLine(gateway: TestGateway, requestId: string): Promise<AccessLine> {
  const lines = await until(() => nonEmpty(accessLines(gateway, requestId)), {
    what: `the access-log line of ${requestId}`,
  });
  if (lines.length > 1) throw new Error(`${lines.length} access-log lines of ${requestId}`);
  return lines[0] ?? {};
}

export function accessLines(gateway: TestGateway, requestId: string): AccessLine[] {
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

/** The body of a chat request that tells the simulator how to answer it. */
export function simulated(behaviour: object, fields: object = {}): string {
  const content = JSON.stringify({ simulate: behaviour });
  return chatBody({ messages: [{ role: 'user', content }], ...fields });
}
