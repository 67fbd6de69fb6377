// The upstream of the streaming cases: the first token after 25 ms, then one token per interval on every open stream,
// from one shared clock, in the wire format of the requested path.
// Run: node test/bench/stream-upstream.ts <port> <tokens per stream> <ms per token>
import { createServer, type ServerResponse } from 'node:http';
import { type Canned, cannedFor } from './canned.ts';

const [port, tokensText, tokenMsText] = process.argv.slice(2);
const tokens = Number(tokensText);
const firstTokenMs = 25;
const tokenMs = Number(tokenMsText);
const tickMs = 5;

interface Stream {
  readonly canned: Canned;
  readonly response: ServerResponse;
  readonly begins: number;
  sent: number;
}

const streams = new Set<Stream>();

setInterval(() => {
  const now = performance.now();
  for (const stream of streams) {
    if (now < stream.begins + stream.sent * tokenMs) continue;
    if (stream.sent < tokens) {
      stream.sent++;
      stream.response.write(stream.canned.token);
    } else {
      streams.delete(stream);
      stream.response.end(stream.canned.closing);
    }
  }
}, tickMs);

createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    const canned = cannedFor(request.url ?? '');
    response.writeHead(200, { 'content-type': canned.streamType });
    response.flushHeaders();
    if (canned.opening.length > 0) response.write(canned.opening);
    const stream = { canned, response, begins: performance.now() + firstTokenMs, sent: 0 };
    streams.add(stream);
    response.once('close', () => streams.delete(stream));
  });
}).listen(Number(port), '127.0.0.1');
