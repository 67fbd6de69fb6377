// The upstreams of the hostile-tenant suite as a separate process: providers in the GPT vendor's format that respond at
// once, close each connection, delay a response, or respond with much text, and whose responses in the background never
// end; and a DNS server that does not respond for some names. Prints its ports on one line.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDnsServer } from '../support/dns-server.ts';

/** The delay of a response when the caller does not leave before. */
const keptOpenMs = 6_000;
const bigBytes = 2 * 1024 * 1024;

const completion = (content: string) => ({
  id: 'chatcmpl-hostile',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
});
const small = JSON.stringify(completion('Good day.'));
const big = JSON.stringify(completion('many words '.repeat(bigBytes / 11)));
const chunk = `data: ${JSON.stringify({
  id: 'chatcmpl-hostile',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, delta: { content: 'word '.repeat(200) }, finish_reason: null }],
})}\n\n`;

/** The kinds of upstream by the first part of the path, which is in the base URL. */
export const kinds = {
  fast: (response) => respond(response, small),
  /** Each request needs its own connection. */
  closing: (response) => {
    response.shouldKeepAlive = false;
    respond(response, small);
  },
  /** Responds after some seconds. */
  waiting: (response) => {
    const timer = setTimeout(() => respond(response, small), keptOpenMs);
    response.once('close', () => clearTimeout(timer));
  },
  big: (response) => respond(response, big),
  /** A stream of much text at the speed of its reader, until the reader leaves. */
  stream: (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const until = performance.now() + keptOpenMs;
    const write = () => {
      while (response.write(chunk));
      if (performance.now() > until) response.end('data: [DONE]\n\n');
      else response.once('drain', write);
    };
    write();
  },
} as const satisfies Record<string, (response: ServerResponse) => void>;

export type UpstreamKind = keyof typeof kinds;

function respond(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** A response in the background that never ends. */
function endless(path: string): string {
  const [, id = `resp_${randomUUID().replaceAll('-', '')}`] = /\/responses\/(\w+)/.exec(path) ?? [];
  return JSON.stringify({
    id,
    object: 'response',
    status: 'in_progress',
    model: 'gpt-4o-mini',
    output: [],
    usage: null,
  });
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const { url = '' } = request;
  const [, kind = ''] = url.split('/');
  request.resume();
  if (url.includes('/responses')) return void request.once('end', () => respond(response, endless(url)));
  request.once('end', () => (kind in kinds ? kinds[kind as UpstreamKind] : kinds.fast)(response));
}

if (process.argv[1] === import.meta.filename) {
  const names = Object.fromEntries(
    Array.from({ length: 16 }, (_, index) => [`m${index}.models.example`, ['127.0.0.1']]),
  );
  const dns = await startDnsServer(names, 'slow.example');
  const server = createServer({ keepAliveTimeout: 60_000 }, serve);
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
    const { port } = server.address() as AddressInfo;
    console.log(JSON.stringify({ msg: 'ready', port, dns_port: Number(dns.address.split(':')[1]) }));
  });
}
