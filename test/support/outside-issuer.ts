// An outside issuer on this machine, such as a CI service or a cluster: it only publishes keys, and signs what a test
// wants. A test changes its responses to play an attacker.
import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSigningKey, type Signing, type SigningKey, signed } from './oidc-issuer.ts';

export interface OutsideIssuer {
  readonly url: string;
  readonly hostAndPort: string;
  readonly key: SigningKey;
  /** Keys that it publishes. */
  keys: object[];
  /** By path, in place of its own response. */
  readonly responses: Map<string, RequestListener>;
  /** Paths that were requested. */
  readonly requested: string[];
  /** A token that works, with other claims; undefined leaves one out. */
  token(claims?: Readonly<Record<string, unknown>>, signing?: Signing): string;
  close(): Promise<void>;
}

export const outsideAudience = 'model-gateway';

/** @param now milliseconds since 1970 */
export async function startOutsideIssuer(now: () => number = Date.now): Promise<OutsideIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const key = createSigningKey('first');
  const issuer: OutsideIssuer = {
    ...{ url, hostAndPort: `127.0.0.1:${port}`, key, keys: [key.publicJwk], responses: new Map(), requested: [] },
    token: (claims = {}, signing = {}) => {
      const at = Math.floor(now() / 1000);
      const usual = { iss: url, aud: outsideAudience, sub: 'repo:acme/app:ref:refs/heads/main', jti: randomUUID() };
      return signed({ ...usual, iat: at, nbf: at, exp: at + 300, ...claims }, { key, ...signing });
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  server.on('request', (request, response) => {
    const path = request.url ?? '';
    issuer.requested.push(path);
    const own = issuer.responses.get(path);
    if (own !== undefined) return own(request, response);
    response.setHeader('content-type', 'application/json');
    if (path === '/keys') return response.end(JSON.stringify({ keys: issuer.keys }));
    if (path !== '/.well-known/openid-configuration') return response.writeHead(404).end();
    return response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
  });
  return issuer;
}
