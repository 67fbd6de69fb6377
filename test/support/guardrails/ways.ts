// Every route of a chat request through a gateway: the generic route with a stored key or the caller's own, and each
// provider's own route; with the response, streamed or not.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { isObject, parseJson } from '../../../common/json.ts';
import { type ParsedCompletion, readCompletion, readStream } from '../completions.ts';
import type { WireError } from '../observe.ts';
import { ownHeaders, ownPath, plainModels } from '../vendors.ts';

export type Vendor = keyof typeof plainModels;

export interface Way {
  readonly name: string;
  readonly vendor: Vendor;
  readonly path: string;
  readonly model: string;
  readonly direct: boolean;
  headers(key: string): Readonly<Record<string, string>>;
}

const vendors = Object.keys(plainModels) as readonly Vendor[];

const storedWay = (vendor: Vendor): Way => ({
  ...{ name: `generic, ${vendor}`, vendor, direct: false },
  ...{ path: '/v1/chat/completions', model: `${vendor}/${plainModels[vendor]}` },
  headers: (key) => ({ authorization: `Bearer ${key}` }),
});

/** For requests that need no special route. */
export const plainWay = storedWay('gpt-provider');

export const ways: readonly Way[] = vendors.flatMap((vendor): Way[] => {
  const stored = storedWay(vendor);
  return [
    stored,
    {
      ...stored,
      ...{ name: `direct key, ${vendor}`, direct: true },
      headers: (key) => ({ 'x-svc-vk': key, 'x-svc-direct-key': 'true', ...directHeaders(vendor) }),
    },
    {
      ...{ name: `own route, ${vendor}`, vendor, direct: true },
      ...{ path: `${ownPath(vendor)}/chat/completions`, model: plainModels[vendor] },
      headers: (key) => ({ 'project-api-key': key, ...ownHeaders[vendor] }),
    },
  ];
});

/** As on the provider's own route, but a key is always a bearer token. */
function directHeaders(vendor: Vendor): Readonly<Record<string, string>> {
  const own: Readonly<Record<string, string>> = ownHeaders[vendor];
  const key = own.authorization?.replace(/^Bearer /, '');
  return key === undefined ? own : { authorization: `Bearer ${key}` };
}

export interface RequestTarget {
  readonly url: string;
  readonly key: string;
  readonly id: string;
  /** Fields beside the model. */
  readonly body: object;
}

export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The connection broke before the end of the response. */
  readonly isCut: boolean;
  /** The error of the envelope, or of the last event of a stream. */
  readonly error: WireError | undefined;
  /** Milliseconds to the end of the response. */
  readonly ms: number;
}

const agent = new Agent({ keepAlive: true });

export async function ask(
  { path, model, headers }: Pick<Way, 'path' | 'model' | 'headers'>,
  { url, key, id, body }: RequestTarget,
): Promise<ReadResponse> {
  const started = performance.now();
  const outgoing = request(url + path, {
    ...{ agent, method: 'POST' },
    headers: { 'content-type': 'application/json', 'x-request-id': id, ...headers(key) },
  });
  outgoing.end(JSON.stringify({ model, ...body }));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const text = await readAll(response);
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(response.headers as Record<string, string>),
    body: text,
    isCut: !response.complete,
    error: errorIn(text),
    ms: performance.now() - started,
  };
}

function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('error', () => undefined);
  return new Promise((resolve) => {
    response.once('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

function errorIn(body: string): WireError | undefined {
  const event = body.startsWith('{') ? body : body.slice(body.lastIndexOf('data: ') + 'data: '.length);
  const response = parseJson(event);
  return isObject(response) ? (response.error as WireError | undefined) : undefined;
}

/** The content of a whole response or a whole stream. @throws BadResponse */
export function parsed({ body }: ReadResponse): ParsedCompletion {
  return body.startsWith('{') ? readCompletion(JSON.parse(body)) : readStream(body);
}

/** The received text of a stream. */
export function textOf({ body }: ReadResponse): string {
  return [...body.matchAll(/^data: (\{.*)$/gm)].map(([, event = '']) => contentIn(parseJson(event))).join('');
}

function contentIn(chunk: unknown): string {
  const choices = isObject(chunk) && Array.isArray(chunk.choices) ? chunk.choices : [];
  return choices
    .map((choice) => (isObject(choice) && isObject(choice.delta) ? (choice.delta.content ?? '') : ''))
    .join('');
}
