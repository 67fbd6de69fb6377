// GET /openapi.json: the JSON API's own description, for whoever reaches it: it says nothing that is not public. It is a file beside the
// program and no part of it, so that it costs memory only where somebody asks for it.
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
