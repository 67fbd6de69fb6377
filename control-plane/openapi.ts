// Serves GET /openapi.json, the description of the JSON API, to every client that reaches it; it contains nothing
// secret. The document is a separate file, so that it uses memory only after a client has requested it.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

let document: Buffer | undefined;

export function wantsOpenapi({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && url === '/openapi.json';
}

export function sendOpenapi(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  document ??= readFileSync(join(import.meta.dirname, 'openapi.json'));
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': document.length, ...headers })
    .end(document);
}
