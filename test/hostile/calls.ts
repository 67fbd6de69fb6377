// Calls over sockets, as hostile callers and their neighbours make them: from their own address, with a word as the
// outcome.
import { Agent, type RequestOptions, request } from 'node:http';

export interface Listener {
  readonly port: number;
  /** The caller's address, of loopback. */
  readonly address: string;
}

export interface Call {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly key: string;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** Default: keeps connections alive, as many as needed. */
  readonly agent?: Agent | false;
  /** The caller leaves this long after it has sent the request. */
  readonly leaveAfterMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const agents = new Map<string, Agent>();

function agentOf(address: string): Agent {
  const known = agents.get(address) ?? new Agent({ keepAlive: true, maxFreeSockets: 16 });
  agents.set(address, known);
  return known;
}

/** @returns "200", "503 overloaded", or the error's code when there was no response */
export function call({ port, address }: Listener, { agent, leaveAfterMs, ...sent }: Call): Promise<string> {
  const { body, key, method = 'POST', path, signal } = sent;
  const headers = {
    ...sent.headers,
    authorization: `Bearer ${key}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
  };
  const options: RequestOptions = {
    ...{ host: '127.0.0.1', port, localAddress: address, method, path, headers },
    agent: agent ?? agentOf(address),
    ...(signal && { signal }),
  };
  return new Promise((resolve) => {
    const sending = request(options, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (response.statusCode !== 200 && bytes < 64 * 1024) chunks.push(chunk);
      });
      response.once('end', () => resolve(word(response.statusCode, Buffer.concat(chunks).toString())));
      response.once('error', () => resolve('cut'));
    });
    sending.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
    sending.end(body, () => {
      if (leaveAfterMs !== undefined) setTimeout(() => sending.destroy(), leaveAfterMs);
    });
  });
}

function word(status: number | undefined, body: string): string {
  if (status === 200) return '200';
  // The proxy's errors, and the control plane's.
  const code = /"(?:code|reason)":\s*"([a-z_]+)"/.exec(body)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

export const chatPath = '/v1/chat/completions';

/** @param provider a kind of the upstream, or gpt-provider */
export function chatBody(provider: string, content = 'Hello', fields: object = {}): string {
  return JSON.stringify({
    model: `${provider}/gpt-4o-mini`,
    messages: [{ role: 'user', content }],
    ...fields,
  });
}
