// Tests of the misbehaving networks that the failure tests use.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBlackHole, startForwarder } from '../../support/black-hole.ts';
import { startNode, until } from '../../support/process.ts';
import { createAuthority } from '../../support/tls.ts';

let upstream: Server;
let port: number;

beforeAll(async () => {
  upstream = createServer((_request, response) => response.end('hello'));
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  port = (upstream.address() as AddressInfo).port;
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

const get = (at: number, signal?: AbortSignal) =>
  fetch(`http://127.0.0.1:${at}/`, signal ? { signal } : {}).then((response) => response.text());

describe('startForwarder', () => {
  it('passes bytes, refuses while cut, and passes again when healed', async () => {
    const forwarder = await startForwarder({ port });
    expect(await get(forwarder.port)).toBe('hello');
    await forwarder.cut();
    await expect(get(forwarder.port)).rejects.toThrow('fetch failed');
    await forwarder.heal();
    expect(await get(forwarder.port)).toBe('hello');
    await forwarder.stop();
  });

  it('delays everything while frozen and passes it on when healed', async () => {
    const forwarder = await startForwarder({ port });
    forwarder.freeze();
    let response: string | undefined;
    const pending = get(forwarder.port).then((text) => {
      response = text;
    });
    await until(() => forwarder.open() === 1);
    await new Promise((resolve) => setTimeout(resolve, 50)); // the time in which a response would have arrived
    expect(response).toBeUndefined();
    await forwarder.heal();
    await pending;
    expect(response).toBe('hello');
    await forwarder.stop();
  });
});

describe('startBlackHole', () => {
  it('accepts and never responds', async () => {
    const hole = await startBlackHole();
    const socket = connect(hole.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    let received = false;
    socket.on('data', () => {
      received = true;
    });
    await until(() => hole.accepted() === 1);
    await new Promise((resolve) => setTimeout(resolve, 50)); // the time in which a response would have arrived
    expect(received).toBe(false);
    socket.on('error', () => undefined);
    await hole.stop();
  });
});

describe('createAuthority', () => {
  it('issues certificates that verify under its own certificate', async () => {
    const authority = await createAuthority();
    const files = await authority.issue({ commonName: 'localhost' });
    const server = createTlsServer({ cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) }, (socket) =>
      socket.end(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = tlsConnect({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      ca: readFileSync(authority.caFile),
    });
    await once(socket, 'secureConnect');
    expect(socket.authorized).toBe(true);
    socket.destroy();
    server.close();
    authority.remove();
  });
});

describe('startProcess', () => {
  it('ends a child with the process that started it, also when that one is killed', async () => {
    const parent = startNode(['test/support/process.parent.ts']);
    const pid = Number(await until(() => parent.stdout().trim(), { what: 'the child to start' }));
    expect(isAlive(pid)).toBe(true);
    await parent.stop('SIGKILL');
    await until(() => !isAlive(pid), { what: 'the child to end' });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
