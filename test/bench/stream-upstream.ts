// The upstream of the streaming case: the first token after 25 ms, then one each 5 ms on every open stream, from one shared clock.
// Run: node test/bench/stream-upstream.ts <port> <tokens per stream>
import { createServer, type ServerResponse } from 'node:http';

const [port, tokensText] = process.argv.slice(2);
const tokens = Number(tokensText);
const firstTokenMs = 25;
const tokenMs = 5;

interface Stream {
  readonly response: ServerResponse;
  readonly begins: number;
  sent: number;
}

const streams = new Set<Stream>();
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench0000000000000000000',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`;
const token = chunk({ content: ' token' }, null);
const end = `${chunk({}, 'stop')}data: [DONE]\n\n`;

setInterval(() => {
  const now = performance.now();
  for (const stream of streams) {
    if (now < stream.begins) continue;
    if (stream.sent < tokens) {
      stream.sent++;
      stream.response.write(token);
    } else {
      streams.delete(stream);
      stream.response.end(end);
    }
  }
}, tokenMs);

createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    const stream = { response, begins: performance.now() + firstTokenMs, sent: 0 };
    streams.add(stream);
    response.once('close', () => streams.delete(stream));
  });
}).listen(Number(port), '127.0.0.1');
