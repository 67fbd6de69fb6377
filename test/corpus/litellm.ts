// LiteLLM in its own process, with a server of this test in place of every vendor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { VendorName } from '../../simulator/vendors.ts';
import type { Json } from './requests.ts';

export interface Requested {
  readonly vendor: VendorName;
  /** The vendor's name of the model. */
  readonly model: string;
  readonly body: Json;
  /** The vendor's response. */
  readonly response: string;
}

export interface Called {
  /** The body that the vendor received, if any. */
  sent?: string;
  completion?: Json;
  error?: string;
}

/** LiteLLM's names of the vendors. */
const prefixes: Readonly<Record<VendorName, string>> = {
  'gpt-provider': 'openai/',
  'studio-ai': 'azure_ai/',
  'managed-cloud-models': 'bedrock/converse/',
  'assistant-provider': 'anthropic/',
  'search-provider': 'gemini/',
};

/** @returns one result for each request, in the same order */
export async function callLiteLlm(python: string, requested: readonly Requested[]): Promise<readonly Called[]> {
  const called: Called[] = requested.map(() => ({}));
  const server = createServer((request, response) => {
    const at = Number(request.url?.split('/')[1]);
    void bodyOf(request).then((body) => {
      const one = called[at];
      if (one !== undefined && body !== '') one.sent ??= body;
      response.setHeader('content-type', 'application/json').end(requested[at]?.response ?? '{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = spawn(python, [join(import.meta.dirname, 'litellm_calls.py')], {
    env: { ...process.env, SERVER },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for (const [id, { vendor, model, body }] of requested.entries()) {
    child.stdin.write(`${JSON.stringify({ id, model: prefixes[vendor] + model, body })}\n`);
  }
  child.stdin.end();
  for await (const line of createInterface(child.stdout)) {
    const { id, ...outcome }: Called & { readonly id: number } = JSON.parse(line);
    Object.assign(called[id] ?? {}, outcome);
  }
  server.close();
  server.closeAllConnections();
  return called;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
