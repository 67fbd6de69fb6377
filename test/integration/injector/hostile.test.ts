// Reviews that no API server sends, and hostile pods: each gets a clear refusal, the log contains nothing that it
// should not, and the injector continues.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../common/logger.ts';
import { appPod, type PodParts } from '../../support/injection.ts';
import { until } from '../../support/process.ts';
import { responseIn, reviewOf, startTestInjector, type TestInjector } from '../../support/reviews.ts';

const lines: string[] = [];
let started: TestInjector;
beforeAll(async () => {
  const log = createLogger({
    name: 'injector',
    level: 'debug',
    stream: { write: (line) => lines.push(line) },
  });
  started = await startTestInjector({ log });
});
afterAll(() => started.close());
beforeEach(() => {
  lines.length = 0;
});

const good = reviewOf('deployment');
/** The valid review with other fields in its request. */
const reviewWith = (over: Readonly<Record<string, unknown>>) => ({
  ...good,
  request: { ...good.request, ...over },
});
const kilobytes = (count: number) => 'x'.repeat(count * 1024);

describe('a request that is no review:', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const refused: readonly (readonly [what: string, body: string | object, message: string])[] = [
    ['nothing', '', 'the body is not a JSON object'],
    ['no JSON', 'pod', 'the body is not a JSON object'],
    ['half a review', JSON.stringify(good).slice(0, -10), 'the body is not a JSON object'],
    ['a list', '[]', 'the body is not a JSON object'],
    ['null', 'null', 'the body is not a JSON object'],
    ['another kind', { ...good, kind: 'Pod' }, 'the body is not an AdmissionReview of admission.k8s.io/v1'],
    [
      'an older version',
      { ...good, apiVersion: 'admission.k8s.io/v1beta1' },
      'the body is not an AdmissionReview of admission.k8s.io/v1',
    ],
    ['a review without a request', { ...good, request: undefined }, 'the review has no request'],
    ['a request that is a text', { ...good, request: 'pod' }, 'the review has no request'],
    ['a request without uid', reviewWith({ uid: undefined }), 'the request of the review has no uid'],
    ['a uid that is a number', reviewWith({ uid: 7 }), 'the request of the review has no uid'],
    ['an empty uid', reviewWith({ uid: '' }), 'the request of the review has no uid'],
    ['an endless uid', reviewWith({ uid: kilobytes(4) }), 'the request of the review has no uid'],
    ['65 levels', nested(65), 'the body is nested deeper than 64 levels'],
    ['a million brackets', '['.repeat(1_000_000), 'the body is nested deeper than 64 levels'],
  ];

  it.each(refused)('%s gets a 400 with one sentence', async (_, body, message) => {
    const response = await started.ask(body);
    expect(response).toMatchObject({ status: 400, body: { message } });
  });

  it('a body of 64 levels is accepted as JSON, and refused as a review without a version', async () => {
    const response = await started.ask(nested(64));
    expect(response.body).toEqual({ message: 'the body is not an AdmissionReview of admission.k8s.io/v1' });
  });

  it.each([
    ['another path', { path: '/' }, 404],
    ['a path below', { path: '/inject/x' }, 404],
    ['GET', { method: 'GET' }, 405],
    ['PUT', { method: 'PUT' }, 405],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a type that only begins alike', { headers: { 'content-type': 'application/json-patch+json' } }, 415],
    ['an encoded body', { headers: { 'content-encoding': 'gzip' } }, 415],
  ])('it is refused by its head: %s', async (_, over, status) => {
    expect(await started.ask(good, over)).toMatchObject({ status, body: { message: expect.any(String) } });
  });

  it('a 405 names the allowed method', async () => {
    expect((await started.ask(good, { method: 'DELETE' })).headers.allow).toBe('POST');
  });

  it('a body above 3 MiB is refused, and one of 3 MiB is accepted', async () => {
    const bytes = JSON.stringify(good).length;
    const room = 3 * 1024 ** 2 - bytes;
    const padded = (count: number) => JSON.stringify(good) + ' '.repeat(count);
    expect((await started.ask(padded(room))).status).toBe(200);
    expect(await started.ask(padded(room + 1))).toMatchObject({
      status: 413,
      body: { message: 'the body is larger than 3145728 bytes' },
      headers: { connection: 'close' },
    });
  });

  it('the response to a body that is too large arrives, however much is still being sent', async () => {
    const response = await started.ask(kilobytes(16 * 1024));
    expect(response.status).toBe(413);
  });

  it('a body that is not UTF-8 is refused', async () => {
    const sent = await rawRequest(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
    expect(sent).toMatch(/^HTTP\/1\.1 400 .*the body is not UTF-8/s);
  });

  it('it is logged without its content', async () => {
    await started.ask(`{"canary": "canary-${kilobytes(1)}"`);
    expect(lines.join('')).toContain('"no review"');
    expect(lines.join('')).not.toContain('canary');
  });
});

function rawRequest(body: Buffer): Promise<string> {
  const head = `POST /inject HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  return rawText(Buffer.concat([Buffer.from(`${head}connection: close\r\n\r\n`), body]));
}

/** All bytes until the server closes the connection. */
async function rawText(sent: string | Buffer): Promise<string> {
  const ca = readFileSync(started.authority.caFile);
  const socket = connect({ host: 'localhost', port: started.injector.port, ca });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(sent);
  await once(socket, 'end');
  socket.destroy();
  return text;
}

describe('a review that is not about a new pod', () => {
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: {} };
  const refused: readonly (readonly [what: string, over: Readonly<Record<string, unknown>>, message: string])[] = [
    [
      'a Deployment',
      { object, kind: { group: 'apps', version: 'v1', kind: 'Deployment' } },
      'not about a v1 Pod; only pods are injected',
    ],
    [
      'other resources',
      { resource: { group: '', version: 'v1', resource: 'services' } },
      'not about a v1 Pod; only pods are injected',
    ],
    ['no kind', { kind: undefined }, 'not about a v1 Pod; only pods are injected'],
    ['an update', { operation: 'UPDATE' }, 'not about a creation; only new pods are injected'],
    ['a deletion', { operation: 'DELETE', object: null }, 'not about a creation; only new pods are injected'],
    ['ephemeral containers', { subResource: 'ephemeralcontainers' }, 'about a subresource; only pods are injected'],
    ['a binding', { subResource: 'binding' }, 'about a subresource; only pods are injected'],
    ['no object', { object: null }, 'the review has no object'],
    ['a list for an object', { object: [] }, 'the review has no object'],
  ];

  it.each(refused)('is refused as a review: %s', async (_, over, message) => {
    const response = responseIn(await started.ask(reviewWith(over)));
    expect(response).toMatchObject({
      uid: good.request.uid,
      allowed: false,
      status: { code: 400, message: expect.stringMatching(/^model-gateway injector: /) },
      patch: [],
    });
    expect(response.status?.message).toContain(message);
  });
});

describe('a pod with an invalid shape', () => {
  const container = (over: object) => ({ container: over as Readonly<Record<string, unknown>> });
  const shapes: readonly (readonly [what: string, parts: PodParts, message: string])[] = [
    ['containers', { spec: { containers: {} } }, 'spec.containers is not a list'],
    ['a container', { spec: { containers: ['app'] } }, 'spec.containers[0] is not an object'],
    ['init containers', { spec: { initContainers: 'none' } }, 'spec.initContainers is not a list'],
    ['a name', container({ name: 7 }), 'spec.containers[0].name is not a text'],
    ['an environment', container({ env: { A: 'b' } }), 'spec.containers[0].env is not a list'],
    ['a variable', container({ env: [['A', 'b']] }), 'spec.containers[0].env[0] is not an object'],
    ['a variable’s name', container({ env: [{ name: null }] }), 'spec.containers[0].env[0].name is not a text'],
    [
      'a variable’s value',
      container({ env: [{ name: 'A', value: 1 }] }),
      'spec.containers[0].env[0].value is not a text',
    ],
    ['envFrom', container({ envFrom: true }), 'spec.containers[0].envFrom is not a list'],
    ['ports', container({ ports: 8080 }), 'spec.containers[0].ports is not a list'],
    [
      'a port',
      container({ ports: [{ containerPort: '8080' }] }),
      'spec.containers[0].ports[0].containerPort is not a whole number',
    ],
    ['mounts', container({ volumeMounts: 'all' }), 'spec.containers[0].volumeMounts is not a list'],
    ['a mount', container({ volumeMounts: [{}] }), 'spec.containers[0].volumeMounts[0].name is not a text'],
    ['volumes', { spec: { volumes: {} } }, 'spec.volumes is not a list'],
    ['a volume', { spec: { volumes: [null] } }, 'spec.volumes[0] is not an object'],
    ['hostNetwork', { spec: { hostNetwork: 'yes' } }, 'spec.hostNetwork is neither true nor false'],
    [
      'the termination grace period',
      { spec: { terminationGracePeriodSeconds: '30' } },
      'spec.terminationGracePeriodSeconds is not a whole number',
    ],
    ['the operating system', { spec: { os: 'windows' } }, 'spec.os is not an object'],
    ['the node selector', { spec: { nodeSelector: [] } }, 'spec.nodeSelector is not an object'],
  ];

  it.each(shapes)('is refused by the name of the field: %s', async (_, parts, message) => {
    const response = responseIn(await started.ask(reviewWith({ object: appPod(parts) })));
    expect(response).toMatchObject({
      allowed: false,
      status: { code: 400, message: `model-gateway injector: ${message}` },
    });
  });

  it.each([
    ['spec', { metadata: {} }, 'spec is not an object'],
    ['metadata', { spec: { containers: [] } }, 'metadata is not an object'],
    ['annotations', { metadata: { annotations: ['x'] }, spec: {} }, 'metadata.annotations is not an object'],
    [
      'an annotation',
      { metadata: { annotations: { 'example.com/x': 1 } }, spec: {} },
      'the annotation "example.com/x" is not a text',
    ],
  ])('is refused without %s', async (_, object, message) => {
    const response = responseIn(await started.ask(reviewWith({ object })));
    expect(response.status?.message).toBe(`model-gateway injector: ${message}`);
  });
});

describe('hostile text', () => {
  const hostile = `\u0000"\r\nset-cookie: a=b\u2028\u202e${'💥'.repeat(50_000)}`;

  it.each([
    ['in an annotation’s value', { annotations: { 'model-gateway.io/port': hostile } }],
    ['in an annotation’s name', { annotations: { [`model-gateway.io/${hostile}`]: 'x' } }],
    ['in a Secret’s name', { annotations: { 'model-gateway.io/key-secret': hostile } }],
    ['in a volume’s name', { spec: { volumes: [{ name: `model-gateway-${hostile}` }] } }],
    [
      'in a container’s name',
      {
        annotations: { 'model-gateway.io/port': '8080' },
        container: { name: hostile, ports: [{ containerPort: 8080 }] },
      },
    ],
  ])('is returned in one short line, %s', async (_, parts: PodParts) => {
    const response = responseIn(await started.ask(reviewWith({ object: appPod(parts) })));
    const message = response.status?.message ?? '';
    expect(response.allowed).toBe(false);
    expect(message.length).toBeLessThan(1100);
    expect(message).not.toMatch(/\p{C}/u);
    expect(lines.join('').length).toBeLessThan(4096);
  });

  it('in names of containers gives warnings that an API server accepts: few, short, of one line', async () => {
    const containers = Array.from({ length: 500 }, (_, index) => ({
      name: `${index}${hostile.slice(0, 2000)}`,
      envFrom: [{}],
    }));
    const response = responseIn(await started.ask(reviewWith({ object: appPod({ spec: { containers } }) })));
    expect(response.allowed).toBe(true);
    expect(response.warnings).toHaveLength(8);
    expect(response.warnings?.at(-1)).toBe('and 493 more of the kind');
    for (const warning of response.warnings ?? []) {
      expect(warning.length).toBeLessThanOrEqual(256);
      expect(warning).not.toMatch(/\p{C}/u);
    }
  });

  it("as names of JavaScript's own members has no effect", async () => {
    const text = JSON.stringify(reviewWith({ object: appPod({ annotations: { 'example.com/x': 'y' } }) }));
    const body = text.replace('"example.com/x":"y"', '"__proto__":"y","constructor":"z","toString":"w"');
    const response = responseIn(await started.ask(body));
    expect(response).toMatchObject({ allowed: true, auditAnnotations: { 'outcome-0': 'injected' } });
    expect(Object.keys({})).toEqual([]);
  });
});

describe("the injector's log", () => {
  it('has one line for a review, with names and the outcome and nothing of the environment', async () => {
    const env = [{ name: 'PASSWORD', value: 'canary-of-a-value' }];
    const object = appPod({ container: { env, args: ['canary-of-an-argument'] } });
    await started.ask(reviewWith({ object, name: 'app', dryRun: true }));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      ...{ level: 'info', msg: 'review', outcome: 'injected', dry_run: true },
      ...{ namespace: 'team-a', pod: 'app', uid: good.request.uid },
    });
    expect(lines[0]).not.toContain('canary');
  });

  it('names a pod without a name by the prefix of its name', async () => {
    await started.ask(good);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ pod: 'web-7c9d8b6f5d-' });
  });
});

describe('invalid bytes on the port', () => {
  it.each([
    ['plain HTTP', 'POST /inject HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['half a handshake', Buffer.from('16030100c8010000c40303', 'hex')],
    ['random bytes', Buffer.from('00ff17deadbeef', 'hex')],
  ])('are dropped before HTTP: %s', async (_, noise) => {
    const socket = connectPlain({ host: '127.0.0.1', port: started.injector.port });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.end(noise);
    await once(socket.resume(), 'close');
    expect((await started.ask(good)).status).toBe(200);
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'POST /inject HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
    [
      'a length and chunks',
      'POST /inject HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['endless headers', `POST /inject HTTP/1.1\r\nhost: x\r\nx: ${kilobytes(17)}\r\n\r\n`],
  ])('get a 4xx within TLS: %s', async (_, request) => {
    expect(await rawText(request)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect((await started.ask(good)).status).toBe(200);
  });
});

describe('many large reviews at a time', () => {
  it('are limited together, and those without room get a 503', async () => {
    const ca = readFileSync(started.authority.caFile);
    const head =
      'POST /inject HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 3145728\r\n\r\n';
    const body = Buffer.alloc(3_145_727, ' ');
    let responses = '';
    const sockets = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const socket = connect({ host: 'localhost', port: started.injector.port, ca });
        socket.on('data', (chunk) => {
          responses += chunk;
        });
        await once(socket, 'secureConnect');
        socket.write(head);
        socket.write(body);
        return socket;
      }),
    );
    await until(() => responses.includes('HTTP/1.1 503 '), { what: 'a review to find no room' });
    expect(responses).toContain('{"message":"too many reviews at a time"}');
    for (const socket of sockets) socket.destroy();
    await until(async () => (await started.ask(good)).status === 200, { what: 'room again' });
  });
});

describe('the injector after all of it', () => {
  it('still responds to a review', async () => {
    expect(responseIn(await started.ask(good)).allowed).toBe(true);
  });
});
