// Requests through a sidecar as an egress gateway that the test plays receives them: forwarded parts, the attached key,
// the flow of bodies.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { createForwardScene, type ForwardScene } from '../../support/forward.ts';
import type { TestProxy } from '../../support/gateway.ts';
import { accessLine } from '../../support/observe.ts';
import { headerPairs, type PlayedEgress, playEgress } from '../../support/played-egress.ts';
import { until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';

let scene: ForwardScene;
let egress: PlayedEgress;
let sidecar: TestProxy;
let requests = 0;
const newId = () => `hop-${++requests}`;
const key = createCredential('virtualKey');

beforeAll(async () => {
  [scene, egress] = await Promise.all([createForwardScene(), playEgress()]);
  sidecar = await scene.startSidecar(egress.url, { GATEWAY_ATTACH_KEY: key, GATEWAY_BODY_GRACE: '1s' });
});
beforeEach(() => egress.reset());
afterAll(async () => {
  egress.close();
  await scene.close();
});

describe('a request', () => {
  it('is forwarded with its method, path, query and headers, except for hop-by-hop headers', async () => {
    const id = newId();
    const outgoing = request(`${sidecar.url}/v1/Some%2Fpath?a=1&b=%20`, {
      method: 'PATCH',
      headers: {
        'X-Kept': 'yes',
        'x-request-id': id,
        Connection: 'x-hop',
        'X-Hop': 'gone',
        TE: 'trailers',
        'x-svc-vk': key,
      },
    });
    outgoing.end('body');
    await once(outgoing, 'response');
    const { method, url, rawHeaders } = await egress.lastSeen();
    expect({ method, url }).toEqual({ method: 'PATCH', url: '/v1/Some%2Fpath?a=1&b=%20' });
    expect(headerPairs(rawHeaders)).toEqual([
      ['host', egress.host],
      ['connection', 'keep-alive'],
      ['X-Kept', 'yes'],
      ['x-svc-vk', key],
      ['x-request-id', id],
      ['content-length', '4'],
    ]);
  });

  it('gets the attached key if it has none, and no other', async () => {
    await fetch(`${sidecar.url}/v1/models`, { headers: { authorization: 'Bearer dummy' } });
    expect((await egress.lastSeen()).headers).toMatchObject({
      'x-svc-vk': key,
      authorization: 'Bearer dummy',
    });
    await fetch(`${sidecar.url}/v1/openai/chat/completions`, { method: 'POST', body: '{}' });
    expect((await egress.lastSeen()).headers).toMatchObject({ 'project-api-key': key });
    expect((await egress.lastSeen()).headers).not.toHaveProperty('x-svc-vk');
    const other = createCredential('virtualKey');
    await fetch(`${sidecar.url}/v1/models`, { headers: { 'api-key': other } });
    expect((await egress.lastSeen()).headers).not.toHaveProperty('x-svc-vk');
  });

  it('with a harmful id gets a new one, the same here and there', async () => {
    const response = await fetch(`${sidecar.url}/v1/models`, { headers: { 'x-request-id': key } });
    const id = (await egress.lastSeen()).headers['x-request-id'];
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-request-id')).toBe(id);
  });

  it.each(['http://elsewhere/v1/models', '*'])('to %s ends here, because it names no path', async (target) => {
    const connection = await openConnection(sidecar.port);
    connection.send(`OPTIONS ${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(await connection.respond()).toMatchObject({ status: 404 });
    connection.socket.destroy();
  });

  it('without a body is forwarded without one, and an empty body as an empty one', async () => {
    await fetch(`${sidecar.url}/v1/models`);
    expect((await egress.lastSeen()).headers).not.toHaveProperty('transfer-encoding');
    await fetch(`${sidecar.url}/v1/models`, { method: 'POST' });
    expect((await egress.lastSeen()).headers).toMatchObject({ 'content-length': '0' });
  });

  it('with a body of many MiB arrives byte for byte, with its length or in chunks', async () => {
    const body = randomBytes(20 * 1024 * 1024);
    egress.respondWith((sent, response) => {
      const sum = createHash('sha256');
      sent.on('data', (chunk) => sum.update(chunk)).on('end', () => response.end(sum.digest('hex')));
    });
    const expected = createHash('sha256').update(body).digest('hex');
    const whole = await fetch(sidecar.url, { method: 'POST', body });
    expect(await whole.text()).toBe(expected);
    expect((await egress.lastSeen()).headers['content-length']).toBe(String(body.length));
    const chunked = await fetch(sidecar.url, { method: 'POST', body: Readable.from([body]), duplex: 'half' });
    expect(await chunked.text()).toBe(expected);
    expect((await egress.lastSeen()).headers['transfer-encoding']).toBe('chunked');
  });

  it('that waits for 100 Continue gets it once there is a connection', async () => {
    const connection = await openConnection(sidecar.port);
    connection.send('POST /v1/x HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n');
    await until(() => connection.received().startsWith('HTTP/1.1 100 Continue\r\n'));
    connection.send('body');
    await until(() => connection.received().includes('HTTP/1.1 200 OK'));
    expect((await egress.lastSeen()).headers).not.toHaveProperty('expect');
    connection.socket.destroy();
  });

  it('whose body does not begin gets a 408 here, before the egress gateway has seen it', async () => {
    const connection = await openConnection(sidecar.port);
    connection.send('POST /v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n');
    const { status, body } = await connection.respond();
    expect({ status, code: JSON.parse(body).error.code }).toEqual({ status: 408, code: 'request_timeout' });
    expect(egress.seen).toEqual([]);
  });

  it('that the egress gateway does not read is not read either', async () => {
    egress.respondWith((sent) => sent.pause());
    const connection = await openConnection(sidecar.port);
    const mib = Buffer.alloc(1024 * 1024);
    const id = newId();
    const head = ['POST /v1/x HTTP/1.1', 'host: x', `x-request-id: ${id}`, `content-length: ${200 * mib.length}`];
    connection.send([...head, '', ''].join('\r\n'));
    for (let sent = 0; sent < 200; sent++) connection.send(mib);
    const memory = process.memoryUsage().arrayBuffers;
    let last = -1;
    await until(() => {
      const before = last;
      last = connection.socket.bytesWritten - connection.socket.writableLength;
      return last > 0 && before === last;
    });
    // No more than the kernel's buffers of three sockets.
    expect(last).toBeLessThan(40 * mib.length);
    expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(40 * mib.length);
    connection.socket.destroy();
    (await egress.lastSeen()).resume();
    await until(() => egress.seen[0]?.destroyed);
    expect(await accessLine(scene, id)).toMatchObject({ status: 499, error_code: 'client_left' });
  });
});
