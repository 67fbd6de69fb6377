// The JSON API over real sockets: the same responses as gRPC, a strict parser, and refusal of everything that is not a
// unary call of an operator.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methodNames } from '../../../control-plane/api/methods.ts';
import document from '../../../control-plane/openapi.json' with { type: 'json' };
import { errorDetail } from '../../../proto/load.ts';
import {
  bootstrap,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { projectRoot, startProcess } from '../../support/process.ts';
import { openConnection, type RawResponse } from '../../support/raw-http.ts';

let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;

beforeAll(async () => {
  plane = await startOperatorsPlane({ env: { GATEWAY_HTTP_HOSTS: 'Gateway.example.com' } });
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'acme');
});
afterAll(() => plane.close());

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string | Buffer;
  /** Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Writes the request by hand, because fetch cannot send a wrong Host or a header twice. */
async function send(sent: Sent): Promise<RawResponse> {
  const body = Buffer.from(sent.body ?? '{}');
  const headers = {
    host: `127.0.0.1:${plane.plane.httpPort}`,
    authorization: `Bearer ${acme.owner.token}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...sent.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`));
  const connection = await openConnection(plane.plane.httpPort);
  try {
    const path = sent.path ?? '/gateway.v1.Organizations/List';
    connection.send(`${sent.method ?? 'POST'} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    connection.send(body);
    return await connection.respond();
  } finally {
    connection.socket.destroy();
  }
}

function create(path: string, body: object | string): Promise<RawResponse> {
  return send({ path: `/gateway.v1.${path}`, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

function json(response: RawResponse): JsonResponse {
  return JSON.parse(response.body);
}

function violations(response: RawResponse): Record<string, string> {
  const [detail] = json(response).details;
  return Object.fromEntries(detail.debug.violations.map((v: JsonResponse) => [v.field, v.description]));
}

describe('a call of the JSON API', () => {
  it('accepts one member of a oneof by its name, and returns the same', async () => {
    const check = { moderation: { model: '', categories: ['violence'], scoreMin: 0.25 } };
    const guardrail = {
      ...{ organizationId: acme.id, name: 'of-the-json-api', check },
      ...{ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_OBSERVE' },
    };
    const made = await create('Guardrails/Create', guardrail);
    expect(made.status).toBe(200);
    expect(json(made).guardrail.check).toEqual({ ...check, also: [] });
    const request = { organizationId: acme.id, stage: 'GUARDRAIL_STAGE_INPUT', text: 'Rosebud' };
    expect(json(await create('Guardrails/Test', request)).results).toEqual([
      {
        ...{ guardrailId: json(made).guardrail.id, name: guardrail.name, enabled: true, found: {} },
        ...{ decision: 'GUARDRAIL_DECISION_NOT_TRIED', places: [] },
      },
    ]);
    await create('Guardrails/Delete', { id: json(made).guardrail.id });
  });

  it('refuses two members of a oneof, and a number that is none', async () => {
    const wrong = {
      ...{ organizationId: acme.id, name: 'of-two-kinds' },
      check: { secrets: {}, moderation: { score_min: '0.25' } },
    };
    expect(violations(await create('Guardrails/Create', wrong))).toEqual({
      'check.moderation.score_min': 'must be a number',
      'check.moderation': 'must not be given beside secrets',
    });
  });

  it('returns the response of gRPC in proto3 JSON', async () => {
    const response = await create('People/Get', { id: acme.owner.id });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const overGrpc = await plane.expect('People.Get', acme.owner.token, { id: acme.owner.id });
    expect(json(response)).toEqual({
      id: acme.owner.id,
      organizationId: acme.id,
      name: overGrpc.name,
      role: 'ROLE_OWNER',
      active: true,
      allowedModels: [],
      createdAt: overGrpc.createdAt,
      serviceAccount: false,
      revision: overGrpc.revision,
    });
  });

  it('accepts names as the contract spells them or in lowerCamelCase', async () => {
    const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: acme.id };
    const name = () => freshName('key');
    const camel = { organizationId: acme.id, scope, name: name(), allowedModels: { globs: ['azure/a*'] } };
    const snake = { organization_id: acme.id, scope, name: name(), allowed_models: { globs: ['azure/a*'] } };
    for (const request of [camel, snake]) {
      const response = await create('VirtualKeys/Create', request);
      expect(json(response)).toMatchObject({ virtualKey: { allowedModels: ['studio-ai/a*'] } });
    }
  });

  it('accepts short names of enums, and returns full names', async () => {
    const limit = { organizationId: acme.id, subject: { kind: 'organization', id: acme.id }, kind: 'budget' };
    const made = await create('Limits/Create', { ...limit, amountUsd: '5', period: 'month' });
    expect(json(made)).toMatchObject({
      subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION' },
      kind: 'LIMIT_KIND_BUDGET',
      period: 'BUDGET_PERIOD_MONTH',
    });
    const { id, revision } = json(made);
    const changed = await create('Limits/Update', { id, ifRevision: Number(revision), period: 'month' });
    expect(changed.status).toBe(200);
    await create('Limits/Delete', { id });
  });

  it('lists the valid names for a wrong enum, and the notation for a large number', async () => {
    const wrong = { organizationId: acme.id, kind: 'BUDGET', period: 'fortnight', count: 2 ** 53 };
    expect(violations(await create('Limits/Create', wrong))).toEqual({
      kind: 'must be one of budget, requests-per-minute, tokens-per-minute, concurrent-requests',
      period: 'must be one of day, week, month, total, hour, quarter',
      count: 'must be a whole number from 0; above 9007199254740991 as a string',
    });
  });

  it('returns an error in the Connect protocol’s format', async () => {
    const response = await create('AiSystems/Create', { organizationId: acme.id, name: '' });
    expect(response.status).toBe(400);
    const body = json(response);
    expect(body).toMatchObject({
      code: 'invalid_argument',
      message: 'name: must be 1 to 128 visible characters',
    });
    const [detail] = body.details;
    expect(detail.type).toBe('gateway.v1.ErrorDetail');
    expect(errorDetail.deserialize(Buffer.from(detail.value, 'base64'))).toEqual(detail.debug);
    expect(detail.debug.reason).toBe('invalid_request');
  });

  it.each([
    ['Organizations/Create', { name: 'acme', owner: { name: 'x' } }, 403, 'permission_denied'],
    ['AiSystems/Get', { id: '00000000-0000-7000-8000-000000000000' }, 404, 'not_found'],
    ['OperatorTokens/Bootstrap', { name: 'x' }, 403, 'permission_denied'],
  ])('for %s %j returns %i', async (path, request, status, code) => {
    const response = await create(path, request);
    expect([response.status, json(response).code]).toEqual([status, code]);
  });

  it('can be any method of operators', async () => {
    for (const name of methodNames.filter((method) => !method.startsWith('Access.'))) {
      const response = await send({ path: `/gateway.v1.${name.replace('.', '/')}`, body: '{"nonsense":1}' });
      expect([name, response.status, violations(response)]).toEqual([
        name,
        400,
        { nonsense: 'is not a field of this request' },
      ]);
    }
  });
});

describe('the strict parser of the JSON API', () => {
  const inAcme = (fields: string) => `{"organizationId":"${acme.id}",${fields}}`;

  it.each([
    ['name', '"name":1'],
    ['name', '"name":null'],
    ['name', '"name":["a"]'],
    ['name', '"name":"\\ud800"'],
    ['name', '"name":{}'],
    ['scope', '"scope":"x"'],
    ['scope', '"scope":[]'],
    ['scope.kind', '"scope":{"kind":1}'],
    ['scope.kind', '"scope":{"kind":"Organization"}'],
    ['scope.kind', '"scope":{"kind":"person,organization"}'],
    ['scope.kind', '"scope":{"kind":"KEY_SCOPE_KIND_UNSPECIFIED"}'],
    ['scope.extra', '"scope":{"extra":true}'],
    ['active', '"active":"false"'],
    ['active', '"active":0'],
    ['allowed_models', '"allowedModels":["a"]'],
    ['allowed_models.globs', '"allowedModels":{"globs":"a"}'],
    ['allowed_models.globs[1]', '"allowedModels":{"globs":["a",2]}'],
    ['metadata.entries', '"metadata":{"entries":[]}'],
    ['metadata.entries[a]', '"metadata":{"entries":{"a":1}}'],
    ['value', '"value":"sk-svc-mine"'],
    ['toString', '"toString":1'],
    ['__proto__', '"__proto__":{"active":true}'],
    ['organization_id', '"organization_id":"x"'],
  ])('refuses %s in {%s}', async (field, fields) => {
    const response = await create('VirtualKeys/Create', inAcme(fields));
    expect(response.status).toBe(400);
    expect(Object.keys(violations(response))).toEqual([field]);
  });

  it.each([
    ['page_size', '"pageSize":-1'],
    ['page_size', '"pageSize":1.5'],
    ['page_size', '"pageSize":"10"'],
    ['page_size', '"pageSize":4294967296'],
  ])('refuses, for a list, %s in {%s}', async (field, fields) => {
    expect(Object.keys(violations(await create('AiSystems/List', inAcme(fields))))).toEqual([field]);
  });

  it.each(['9007199254740992', '-1', '"1e3"', '"01"', '"18446744073709551616"', 'true', '1.5'])(
    'refuses the 64-bit number %s',
    async (number) => {
      const response = await create('AiSystems/Update', `{"id":"${acme.id}","ifRevision":${number}}`);
      expect(Object.keys(violations(response))).toEqual(['if_revision']);
    },
  );

  it.each(['7', '"7"', '"18446744073709551615"'])('accepts the 64-bit number %s', async (number) => {
    const response = await create('AiSystems/Update', `{"id":"${acme.id}","ifRevision":${number}}`);
    expect(json(response).code).toBe('not_found');
  });

  it.each([
    '',
    '[]',
    'null',
    '"x"',
    '{',
    '{}{}',
    "{'a':1}",
    '{"id":"a","id":"a"}',
    '{"id":"a","\\u0069d":"a"}',
    `${'['.repeat(17)}${']'.repeat(17)}`,
    '['.repeat(500_000),
  ])('refuses the body %.40s', async (body) => {
    const response = await create('Organizations/Get', body);
    expect([response.status, json(response).code]).toEqual([400, 'invalid_argument']);
  });

  it('refuses a body that is not UTF-8', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await send({ path: '/gateway.v1.Organizations/Get', body })).status).toBe(400);
  });

  it('never returns the value of a secret’s field', async () => {
    const response = await create(
      'ProviderKeys/Create',
      inAcme('"name":"x","provider":"gpt-provider","secret":{"apiKey":"canary secret with spaces"}'),
    );
    expect(response.status).toBe(400);
    expect(response.body).not.toContain('canary');
  });
});

describe('GET /openapi.json', () => {
  it('describes the JSON API without a token', async () => {
    const response = await send({
      path: '/openapi.json',
      method: 'GET',
      headers: { authorization: undefined },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(json(response)).toEqual(document);
  });

  it('is served only for configured hosts, and for GET', async () => {
    const elsewhere = { path: '/openapi.json', method: 'GET', headers: { host: 'evil.example.com' } };
    expect((await send(elsewhere)).status).toBe(403);
    expect((await send({ path: '/openapi.json' })).status).toBe(404);
    expect((await send({ path: '/openapi.json?x=1', method: 'GET' })).status).toBe(404);
  });
});

it('the commands of docs/json-api.md work unchanged', async () => {
  const page = readFileSync(join(projectRoot, 'docs/json-api.md'), 'utf8');
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const directory = mkdtempSync(join(tmpdir(), 'json-api-'));
  mkdirSync(join(directory, 'data'));
  writeFileSync(join(directory, 'data/operator-token'), acme.owner.token);
  const script = blocks.join('echo\n').replaceAll('127.0.0.1:8081', `127.0.0.1:${plane.plane.httpPort}`);
  const shell = startProcess('bash', ['-euc', script], { cwd: directory });
  expect([await shell.exited, shell.stderr()]).toEqual([0, '']);
  expect(shell.stdout()).toMatch(/"limits":\[\{.*"amountUsd":"250".*"period":"BUDGET_PERIOD_MONTH".*"count":"600"/);
  expect(JSON.parse(readFileSync(join(directory, 'openapi.json'), 'utf8'))).toEqual(document);
  rmSync(directory, { recursive: true });
});

describe('the JSON API', () => {
  it.each([
    ['a web page’s host', { host: 'evil.example.com' }, 403],
    ['no host', { host: '' }, 403],
    ['a proxy’s service', {}, 404, '/gateway.v1.Access/Resolve'],
    ['a path that is no method', {}, 404, '/gateway.v1.VirtualKeys/Steal'],
    ['a query', {}, 404, '/gateway.v1.Organizations/List?x=1'],
    ['a path of the prototype', {}, 404, '/gateway.v1.constructor/toString'],
    ['an absolute target', {}, 404, 'http://localhost/gateway.v1.Organizations/List'],
    ['no content type', { 'content-type': undefined }, 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text, which pages may send without a preflight request', { 'content-type': 'text/plain' }, 415],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }, 415],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415],
    ['no token', { authorization: undefined }, 401],
    ['a cookie instead of a token', { authorization: undefined, cookie: 'token=x' }, 401],
    ['basic authentication', { authorization: 'Basic eDp5' }, 401],
  ])('refuses %s', async (_what, headers, status, path?: string) => {
    const response = await send({ headers, ...(path !== undefined && { path }) });
    expect(response.status).toBe(status);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['GET', 'OPTIONS', 'PUT', 'DELETE'])('refuses the method %s', async (method) => {
    const response = await send({ method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });

  it('accepts its configured host with any port and in any letter case, and charset utf-8', async () => {
    for (const host of ['gateway.example.com', 'GATEWAY.example.com:443', 'localhost', '[::1]:8081']) {
      expect((await send({ headers: { host } })).status).toBe(200);
    }
    expect((await send({ headers: { 'content-type': 'application/json; charset=UTF-8' } })).status).toBe(200);
  });

  it('refuses a body over a mebibyte, with or without its length', async () => {
    const path = '/gateway.v1.Organizations/Get';
    const reported = await send({ path, body: `{"id":"${'x'.repeat(1024 * 1024)}"}` });
    expect([reported.status, json(reported).code]).toEqual([413, 'resource_exhausted']);
    const chunk = 'x'.repeat(600 * 1024);
    const chunked = [chunk, chunk].map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
    const headers = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
    expect((await send({ path, body: `${chunked}0\r\n\r\n`, headers })).status).toBe(413);
  });

  it('reads no body from a caller without a token of the right form', async () => {
    const connection = await openConnection(plane.plane.httpPort);
    connection.send(
      'POST /gateway.v1.Organizations/List HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
        'authorization: Bearer nonsense\r\ncontent-length: 1000000\r\n\r\n',
    );
    expect((await connection.respond()).status).toBe(401);
    connection.socket.destroy();
  });
});
