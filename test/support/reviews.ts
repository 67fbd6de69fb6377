// A running injector with a test authority, called as by an API server: reviews over TLS, connections kept.
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { isObject } from '../../common/json.ts';
import type { Logger } from '../../common/logger.ts';
import { type Injector, startInjector } from '../../injector/app.ts';
import { readInjectorSettings } from '../../injector/settings.ts';
import type { TestPod } from './injection.ts';
import { silentLog } from './silent-log.ts';
import { type CertificateFiles, createAuthority, type TestAuthority } from './tls.ts';

export interface TestInjector {
  readonly injector: Injector;
  readonly authority: TestAuthority;
  /** Sends a body as the API server does. */
  ask(body: string | object, over?: Ask): Promise<ReadResponse>;
  close(): Promise<void>;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

export interface ReadResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface TestInjectorOptions {
  readonly log?: Logger;
  /** Served in place of a certificate of the authority. */
  readonly certificate?: CertificateFiles;
  /** Settings beside those that it needs to start. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function startTestInjector(options: TestInjectorOptions = {}): Promise<TestInjector> {
  const authority = await createAuthority();
  const { certFile, keyFile } = options.certificate ?? (await authority.issue({ commonName: 'injector' }));
  const settings = readInjectorSettings({ ...injectorEnvironment({ certFile, keyFile }), ...options.env });
  const injector = await startInjector(settings, { log: options.log ?? silentLog });
  const agent = new Agent({ keepAlive: true, ca: readFileSync(authority.caFile) });
  return {
    injector,
    authority,
    ask: (body, over = {}) => ask(injector.port, body, { agent, ...over }),
    close: async () => {
      agent.destroy();
      await injector.close();
      authority.remove();
    },
  };
}

/** Settings with which it starts on free ports. */
export function injectorEnvironment({ certFile, keyFile }: CertificateFiles): Record<string, string> {
  return {
    GATEWAY_INJECTOR_LISTEN: '127.0.0.1:0',
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
    GATEWAY_TLS_CERT_FILE: certFile,
    GATEWAY_TLS_KEY_FILE: keyFile,
    GATEWAY_INJECTOR_IMAGE: 'model-gateway/proxy:0.1.0',
  };
}

export function ask(port: number, body: string | object, over: Ask): Promise<ReadResponse> {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { method = 'POST', path = '/inject?timeout=5s', headers, agent } = over;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: 'localhost', port, method, path, ...(agent !== undefined && { agent }) },
        headers: { 'content-type': 'application/json', 'content-length': bytes.length, ...headers },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) });
      },
    );
    sent.on('error', reject);
    sent.end(bytes);
  });
}

export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly object: TestPod; readonly [field: string]: unknown };
}

const reviewsFolder = new URL('../integration/injector/reviews/', import.meta.url);

/** A review as an API server of Kubernetes 1.31 sends it. */
export function reviewOf(name: string): Review {
  return JSON.parse(readFileSync(new URL(`${name}.json`, reviewsFolder), 'utf8'));
}

export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
  readonly status?: { readonly code: number; readonly message: string };
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  /** Decoded. */
  readonly patch: readonly object[];
}

/** The response in a review; throws for an invalid response. */
export function responseIn({ status, body }: ReadResponse): ReviewResponse {
  if (status !== 200 || !isObject(body) || !isObject(body.response)) {
    throw new Error(`no review: ${status} ${JSON.stringify(body)}`);
  }
  const { response } = body as { response: Omit<ReviewResponse, 'patch'> & { patch?: string } };
  const { patch } = response;
  return {
    ...response,
    patch: patch === undefined ? [] : JSON.parse(Buffer.from(patch, 'base64').toString()),
  };
}
