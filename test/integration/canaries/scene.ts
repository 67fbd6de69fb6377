// A gateway over a real database and a real Redis, full of known secrets, that records every response as bytes. Where a
// call returns a new secret, that one occurrence is removed from the record: a second one is a leak.
import { randomBytes } from 'node:crypto';
import { Canaries } from '../../support/canaries.ts';
import { providerSecret, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { openConnection } from '../../support/raw-http.ts';
import type { TestRedis } from '../../support/redis.ts';

export interface Scene {
  readonly gateway: TestGateway;
  /** A proxy with a short timeout for providers. */
  readonly hasty: TestProxy;
  readonly canaries: Canaries;
  /** Whole responses, including heads. */
  readonly responses: string[];
  readonly keys: SceneKeys;
  /** All bytes from the start of the response to the end of the connection. */
  exchange(port: number, bytes: string): Promise<string>;
  /** Calls the JSON API with the owner's token, unless another token is given. */
  call(method: string, request: unknown, options?: CallOptions): Promise<Record<string, unknown>>;
}

export interface SceneKeys {
  readonly usable: string;
  readonly project: string;
  readonly rotated: string;
  readonly rotatedBefore: string;
  readonly revoked: string;
  readonly inactive: string;
  readonly stored: string;
  /** Callers' own provider keys; vendors accept the first. */
  readonly own: string;
  readonly ownRefused: string;
  readonly owner: string;
  readonly revokedOperator: string;
  readonly revokedProxy: string;
}

export interface CallOptions {
  readonly token?: string;
  /** The field of the response with a new secret, and the name of that secret. */
  readonly returns?: { readonly field: string; readonly as: string };
}

export async function startScene(databaseUrl: string, redis: TestRedis): Promise<Scene> {
  const gateway = await startGateway({ databaseUrl, proxy: { REDIS_URL: redis.url } });
  const hasty = await gateway.startProxy({ GATEWAY_TOTAL_TIMEOUT: '300ms' });
  const canaries = new Canaries();
  const responses: string[] = [];
  const { secrets, proxyToken, organization } = gateway;
  canaries.add('bootstrap token', secrets.bootstrapToken);
  canaries.add('platform token', secrets.platformToken);
  canaries.add('proxy token', proxyToken);
  canaries.add('owner token', organization.ownerToken);
  canaries.addKey('master key', secrets.masterKey);
  canaries.addKey('cache key', secrets.cacheKey);
  // The last 32 bytes of the only line in its PEM.
  const signingKey = Buffer.from(secrets.recordKey.split('\n')[1] ?? '', 'base64').subarray(-32);
  canaries.addKey('key that signs records', signingKey.toString('base64'));
  canaries.add('provider key before', providerSecret);
  const exchange = async (port: number, bytes: string) => {
    const connection = await openConnection(port);
    connection.send(bytes);
    await connection.closed;
    responses.push(connection.received());
    return connection.received();
  };
  const call: Scene['call'] = async (method, request, { token = organization.ownerToken, returns } = {}) => {
    const body = JSON.stringify(request);
    const head = [`POST /gateway.v1.${method} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${token}`];
    const rest = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
    const response = await exchange(gateway.controlPlane.httpPort, [...head, ...rest, '', body].join('\r\n'));
    const value = JSON.parse(response.slice(response.indexOf('\r\n\r\n'))) as Record<string, unknown>;
    if (returns !== undefined) {
      const secret = canaries.add(returns.as, String(value[returns.field]));
      responses.push((responses.pop() ?? '').replace(secret, ''));
    }
    return value;
  };
  const scene = { gateway, hasty, canaries, responses, exchange, call };
  return { ...scene, keys: await makeKeys(scene) };
}

async function makeKeys({ gateway, canaries, call }: Omit<Scene, 'keys'>): Promise<SceneKeys> {
  const { id, ownerId, ownerToken } = gateway.organization;
  await call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  const createKey = async (as: string, fields: object = {}) => {
    const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id };
    const request = { organizationId: id, name: as, scope, ...fields };
    const made = await call('VirtualKeys/Create', request, { returns: { field: 'value', as } });
    return { id: (made.virtualKey as { id: string }).id, value: String(made.value) };
  };
  const before = await createKey('rotated key, its old value');
  const rotated = await call(
    'VirtualKeys/Rotate',
    { id: before.id, graceSeconds: 600 },
    { returns: { field: 'value', as: 'rotated key, its new value' } },
  );
  const revoked = await createKey('revoked key');
  await call('VirtualKeys/Revoke', { id: revoked.id });

  const operator = await call(
    'OperatorTokens/Create',
    { personId: ownerId, name: 'second' },
    { returns: { field: 'value', as: 'revoked operator token' } },
  );
  await call('OperatorTokens/Revoke', { id: (operator.operatorToken as { id: string }).id });
  const { platformToken } = gateway.secrets;
  const proxy = await call(
    'ProxyTokens/Create',
    { name: 'second' },
    { token: platformToken, returns: { field: 'value', as: 'revoked proxy token' } },
  );
  await call('ProxyTokens/Revoke', { id: (proxy.proxyToken as { id: string }).id }, { token: platformToken });

  // No start in common with the key before: the search finds pieces.
  const stored = canaries.add('stored provider key', `sk-sim-later-${random()}`);
  const { providerKeys } = (await call('ProviderKeys/List', { organizationId: id })) as {
    providerKeys: { id: string }[];
  };
  await call('ProviderKeys/Update', { id: providerKeys[0]?.id, secret: { apiKey: stored } });
  return {
    stored,
    usable: (await createKey('usable key')).value,
    project: (await createKey('project key')).value,
    rotated: String(rotated.value),
    rotatedBefore: before.value,
    revoked: revoked.value,
    inactive: (await createKey('inactive key', { active: false })).value,
    own: canaries.add("caller's provider key", `sk-sim-own-${random()}`),
    ownRefused: canaries.add("caller's refused provider key", `sk-refused-${random()}`),
    owner: ownerToken,
    revokedOperator: String(operator.value),
    revokedProxy: String(proxy.value),
  };
}

function random(): string {
  return randomBytes(18).toString('hex');
}
