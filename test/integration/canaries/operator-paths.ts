// Every path of a call with a secret through the control plane: wrong tokens, wrong listeners, requests that fail each
// check with a secret inside, and a database that fails in the middle.

import { freshName, GrpcCaller } from '../../support/operators.ts';
import type { KeptDatabase } from '../../support/persistent-databases.ts';
import type { Scene } from './scene.ts';

export async function walkControlPlane(scene: Scene, database: KeptDatabase): Promise<void> {
  await wrongTokens(scene);
  await invalidRequests(scene);
  await overGrpc(scene);
  await failingDatabase(scene, database);
}

async function wrongTokens(scene: Scene): Promise<void> {
  const { gateway, keys, call } = scene;
  const { bootstrapToken, masterKey } = gateway.secrets;
  const tokens = [
    ...[keys.revokedOperator, keys.revokedProxy, gateway.proxyToken, bootstrapToken, keys.usable, masterKey],
    ...[keys.own, `${keys.owner}x`, `x${keys.owner}`],
  ];
  for (const token of tokens) {
    await call('VirtualKeys/List', { organizationId: gateway.organization.id }, { token });
    await call('OperatorTokens/Bootstrap', { name: 'again' }, { token });
    await raw(scene, `POST /gateway.v1.VirtualKeys/${token}?token=${token}`, [
      `x-api-key: ${token}`,
      `cookie: ${token}`,
    ]);
    await raw(scene, 'POST /gateway.v1.VirtualKeys/List', [`host: ${token}`]);
    await raw(scene, 'POST /gateway.v1.VirtualKeys/List', [`content-type: ${token}`]);
    await raw(scene, 'POST /gateway.v1.VirtualKeys/List', [
      `authorization: Bearer ${token}`,
      `authorization: Bearer ${keys.owner}`,
    ]);
    await scene.exchange(gateway.controlPlane.httpPort, `${token}\r\n\r\n`);
  }
}

function raw({ gateway, exchange }: Scene, line: string, headers: readonly string[]): Promise<string> {
  const usual = headers.some((header) => header.startsWith('host:')) ? [] : ['host: localhost'];
  const lines = [`${line} HTTP/1.1`, ...usual, 'connection: close', 'content-length: 2', ...headers, '', '{}'];
  return exchange(gateway.controlPlane.httpPort, lines.join('\r\n'));
}

async function invalidRequests(scene: Scene): Promise<void> {
  const { gateway, keys, call } = scene;
  const { id } = gateway.organization;
  const providerKey = {
    organizationId: id,
    provider: 'gpt-provider',
    name: 'next',
    secret: { apiKey: keys.own },
  };
  const provider = {
    organizationId: id,
    name: 'vendor',
    wireFormat: 'WIRE_FORMAT_GPT_PROVIDER',
    baseUrl: 'https://api.example.com',
  };
  for (const secret of [keys.own, keys.usable, keys.stored]) {
    const prices = { input: secret, output: secret, asOf: secret, tiers: [{ input: secret }] };
    const model = { name: `${secret}//`, capabilities: [secret], traits: { reasoning: secret }, prices };
    const requests: [string, unknown][] = [
      ['Providers/Create', { ...provider, name: `${secret}!` }],
      ['Providers/Create', { ...provider, wireFormat: secret }],
      ['Providers/Create', { ...provider, baseUrl: secret }],
      ['Providers/Create', { ...provider, baseUrl: `https://user:${secret}@host/` }],
      ['Providers/Create', { ...provider, baseUrl: `https://host/?key=${secret}` }],
      ['Providers/Create', { ...provider, keyForm: 'KEY_FORM_HEADER', keyHeader: `x ${secret}` }],
      ['Providers/Create', { ...provider, keyHeader: secret }],
      ['Providers/Create', { ...provider, models: { models: [model, model] } }],
      ['Providers/Update', { id: secret, baseUrl: secret }],
      ['Providers/Delete', { id: secret }],
      ['ProviderKeys/Create', { ...providerKey, provider: secret }],
      ['ProviderKeys/Create', { ...providerKey, name: secret.repeat(10) }],
      ['ProviderKeys/Create', { ...providerKey, organizationId: secret }],
      ['ProviderKeys/Create', { ...providerKey, secret: { apiKey: `${secret} ${secret}` } }],
      ['ProviderKeys/Create', { ...providerKey, secret: { apiKey: '', accessKeyId: secret } }],
      ['ProviderKeys/Create', { ...providerKey, secret }],
      ['ProviderKeys/Create', { ...providerKey, secret: { apiKey: [secret] } }],
      [
        'ProviderKeys/Create',
        { ...providerKey, secret: { apiKey: secret }, settings: { baseUrl: `https://user:${secret}@host/` } },
      ],
      [
        'ProviderKeys/Create',
        { ...providerKey, secret: { apiKey: secret }, settings: { baseUrl: `https://host/?key=${secret}` } },
      ],
      ['ProviderKeys/Create', { ...providerKey, secret: { apiKey: secret }, settings: { endpoint: secret } }],
      [
        'ProviderKeys/Create',
        {
          ...providerKey,
          secret: { apiKey: secret },
          settings: { region: secret, apiVersion: `/${secret}` },
        },
      ],
      ['ProviderKeys/Create', { ...providerKey, secret: { apiKey: secret }, priority: secret }],
      ['ProviderKeys/Create', { ...providerKey, secret: { apiKey: secret }, name: 'stored' }],
      ['ProviderKeys/Create', { ...providerKey, secret: { apiKey: secret }, name: 'tried', test: true }],
      ['ProviderKeys/Test', { id: secret }],
      ['VirtualKeys/List', { organizationId: id, text: secret }],
      ['VirtualKeys/List', { organizationId: id, valueSha256: secret }],
      ['ProviderKeys/Update', { id: secret, secret: { apiKey: secret } }],
      ['ProviderKeys/Get', { id: secret }],
      ['VirtualKeys/Create', { organizationId: id, name: `\u0000${secret}`, scope: { kind: secret, id: secret } }],
      ['VirtualKeys/Create', { organizationId: id, name: 'x', endsAt: secret, clientRequestId: `${secret} ` }],
      ['VirtualKeys/Create', { organizationId: id, name: 'x', allowedModels: { globs: [` ${secret}`] } }],
      ['VirtualKeys/Create', { organizationId: id, name: 'x', metadata: { entries: { a: `\u0000${secret}` } } }],
      ['VirtualKeys/Create', { organizationId: id, name: 'x', metadata: { entries: { [` ${secret}`]: 'a' } } }],
      ['VirtualKeys/List', { organizationId: id, pageToken: secret }],
      ['Limits/Create', { organizationId: id, subject: { kind: secret, id: secret }, kind: secret }],
      ['Limits/Create', { organizationId: id, count: secret, model: ` ${secret}`, amountUsd: secret }],
      ['Limits/Update', { id: secret, model: secret }],
      ['People/Create', { organizationId: id, name: 'x', role: secret, email: `${secret} @x` }],
      ['Audit/List', { organizationId: id, pageToken: secret }],
      ['VirtualKeys/Rotate', { id: secret, graceSeconds: -1 }],
    ];
    for (const [method, request] of requests) await call(method, request);
    for (const body of [`{"${secret}`, `{"a":"${secret}"`, `"${secret}"`, `{"name":"${secret}","name":"${secret}"}`]) {
      const head = ['content-type: application/json', `authorization: Bearer ${keys.owner}`];
      const lines = ['POST /gateway.v1.VirtualKeys/Create HTTP/1.1', 'host: localhost', 'connection: close', ...head];
      const { httpPort } = gateway.controlPlane;
      await scene.exchange(httpPort, [...lines, `content-length: ${body.length}`, '', body].join('\r\n'));
    }
  }
  // Field names that are secrets. Those whose form the gateway recognizes are not repeated even to their sender.
  for (const secret of [keys.usable, keys.owner, gateway.proxyToken]) {
    await call('VirtualKeys/Create', { [secret]: secret });
    await call('VirtualKeys/Create', { metadata: { entries: { [secret]: 1 } } });
  }
}

async function overGrpc(scene: Scene): Promise<void> {
  const { gateway, keys, responses } = scene;
  const caller = new GrpcCaller(`127.0.0.1:${gateway.controlPlane.grpcPort}`);
  const { id } = gateway.organization;
  const bad = {
    organizationId: id,
    provider: keys.own,
    name: keys.own.repeat(10),
    secret: { apiKey: `${keys.own} ` },
  };
  for (const token of [
    keys.owner,
    keys.revokedOperator,
    gateway.proxyToken,
    keys.usable,
    `${keys.owner}\n`.trim().slice(1),
  ]) {
    responses.push(JSON.stringify(await caller.call('ProviderKeys.Create', token, bad)));
    responses.push(JSON.stringify(await caller.call('VirtualKeys.List', token, { organizationId: keys.usable })));
    responses.push(
      JSON.stringify(
        await caller.call('Access.Resolve', token === gateway.proxyToken ? keys.owner : token, {
          keyHash: keys.usable,
        }),
      ),
    );
  }
  caller.close();
}

/** Missing tables make every call fail after its checks, with the secrets in the statement's parameters. */
async function failingDatabase(scene: Scene, database: KeptDatabase): Promise<void> {
  const { gateway, keys, call } = scene;
  const { id } = gateway.organization;
  const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id };
  for (const table of ['key_values', 'provider_keys', 'operator_tokens', 'audit_events']) {
    await database.run(`alter table ${table} rename to gone`);
    const secret = { apiKey: keys.own };
    await call('VirtualKeys/Create', { organizationId: id, name: freshName('key'), scope });
    await call('ProviderKeys/Create', {
      organizationId: id,
      provider: 'gpt-provider',
      name: freshName('key'),
      secret,
    });
    await call('OperatorTokens/Create', { personId: gateway.organization.ownerId, name: freshName('token') });
    await database.run(`alter table gone rename to ${table}`);
  }
}
