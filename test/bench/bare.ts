// The yardstick "bare": the smallest pipe from node:http to undici, without parsing, checks or limits. It is what a proxy
// on Node's own server costs, and no limit: see floor.ts. Run: node test/bench/bare.ts <port> <upstream origin>
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, upstream = ''] = process.argv.slice(2);
const pool = new Pool(upstream, { pipelining: 1, allowH2: false });

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const headers = { 'content-type': 'application/json', authorization: 'Bearer bare' };
    pool.dispatch(
      { path: request.url ?? '/', method: 'POST', headers, body: body ?? null },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status, headers) => {
          response.writeHead(status, {
            'content-type': String(headers['content-type']),
            ...(headers['content-length'] && { 'content-length': String(headers['content-length']) }),
          });
        },
        onResponseData: (controller, chunk) => {
          if (response.write(chunk)) return;
          controller.pause();
          response.once('drain', () => controller.resume());
        },
        onResponseEnd: () => response.end(),
        onResponseError: () => response.destroy(),
      },
    );
  });
}).listen(Number(port), '127.0.0.1');
