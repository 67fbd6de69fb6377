// Callers that read their responses slowly, stop, or leave: a slow one gets every byte and slows its provider instead
// of filling the memory; the others are cut and logged with the real cause, never as a failure of the provider.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatBody, startGateway, type TestGateway } from '../../support/gateway.ts';
import { accessLine, accessLines } from '../../support/observe.ts';
import { until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import { startRawUpstream } from '../../support/raw-upstream.ts';
import { metric } from '../../support/telemetry.ts';

let gateway: TestGateway;
let key: string;
const readerTimeoutMs = 1000;

beforeAll(async () => {
  gateway = await startGateway({ proxy: { GATEWAY_READER_TIMEOUT: `${readerTimeoutMs}ms` } });
  key = (await gateway.organization.createKey()).value;
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

const mib = 1024 * 1024;
let requests = 0;

interface Reader {
  readonly id: string;
  readonly socket: Socket;
  /** Bytes so far, including head and framing. */
  received(): number;
  /** The last received characters. */
  tail(): string;
  /** Reads as fast as possible from now on. */
  readOn(): void;
  /** Reads repeatedly the little that Node has read ahead, until the condition is true. */
  readSlowly(everyMs: number, until: () => boolean): Promise<void>;
}

/** Sends a chat request and reads nothing of its response yet. */
async function request(port: number, fields: object = {}): Promise<Reader> {
  requests++;
  const id = `reader-${requests}`;
  const { socket } = await openConnection(port);
  let received = 0;
  let tail = '';
  const take = (chunk: Buffer) => {
    received += chunk.length;
    tail = (tail + chunk.toString('latin1')).slice(-64);
  };
  socket.removeAllListeners('data').pause();
  const body = chatBody(fields);
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: gateway', `authorization: Bearer ${key}`];
  const more = [`x-request-id: ${id}`, 'content-type: application/json', `content-length: ${body.length}`];
  socket.write([...head, ...more, '', body].join('\r\n'));
  return {
    ...{ id, socket, received: () => received, tail: () => tail },
    readOn: () => void socket.on('data', take).resume(),
    readSlowly: async (everyMs, atEnd) => {
      while (!atEnd() && !socket.closed) {
        const chunk = socket.read() as Buffer | null;
        if (chunk !== null) take(chunk);
        await sleep(everyMs);
      }
    },
  };
}

const responseBytes = 24 * mib;
const wholeResponse = () => {
  const shell = JSON.stringify({ choices: [], filler: '' });
  return shell.replace('""', `"${'f'.repeat(responseBytes - shell.length)}"`);
};

describe('a whole response', () => {
  it('reaches a caller that reads it slowly, even if that takes longer than the reader timeout', async () => {
    gateway.simulator.script({ body: wholeResponse() });
    const reader = await request(gateway.proxy.port);
    const started = performance.now();
    await reader.readSlowly(5, () => reader.received() > responseBytes);
    expect(reader.received()).toBeGreaterThan(responseBytes);
    expect(performance.now() - started).toBeGreaterThan(2 * readerTimeoutMs);
    expect(await accessLine(gateway, reader.id)).toMatchObject({ status: 200 });
    reader.socket.destroy();
  });

  it('that its caller does not read is cut and logged as stalled', async () => {
    gateway.simulator.script({ body: wholeResponse() });
    const reader = await request(gateway.proxy.port);
    const line = await accessLine(gateway, reader.id);
    expect(line).toMatchObject({ status: 499, error_code: 'client_stalled' });
    expect(line).not.toHaveProperty('error_source');
    expect(line.duration_ms).toBeGreaterThan(readerTimeoutMs);
    reader.socket.destroy();
  });

  it('whose caller leaves in the middle is logged as left', async () => {
    gateway.simulator.script({ body: wholeResponse() });
    const reader = await request(gateway.proxy.port);
    reader.readOn();
    await until(() => reader.received() > mib);
    reader.socket.destroy();
    expect(await accessLine(gateway, reader.id)).toMatchObject({ status: 499, error_code: 'client_left' });
  });
});

describe('a stream', () => {
  it("whose caller leaves is logged as left, and its provider's stream is cancelled at once", async () => {
    gateway.simulator.script({ tokens: 1000, pieceDelayMs: 10 });
    const reader = await request(gateway.proxy.port, { stream: true });
    reader.readOn();
    await until(() => reader.received() > 1000);
    reader.socket.destroy();
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left', { timeoutMs: 2000 });
    const line = await accessLine(gateway, reader.id);
    expect(line).toMatchObject({ status: 499, error_code: 'client_left', streamed: true });
  });

  it('whose caller leaves before its first byte is treated in the same way', async () => {
    gateway.simulator.script({ headDelayMs: 5000 });
    const reader = await request(gateway.proxy.port, { stream: true });
    await until(() => gateway.simulator.requests.length > 0);
    reader.socket.destroy();
    await until(() => gateway.simulator.requests[0]?.ended === 'client_left', { timeoutMs: 2000 });
    expect(await accessLine(gateway, reader.id)).toMatchObject({ status: 499, error_code: 'client_left' });
  });

  it('that its caller reads drop by drop ends with the total timeout, never as a failure of the provider', async () => {
    const proxy = await gateway.startProxy({ GATEWAY_TOTAL_TIMEOUT: '3s' });
    gateway.simulator.script({ tokens: 8000, tokenBytes: 5000 });
    const reader = await request(proxy.port, { stream: true });
    await reader.readSlowly(50, () => accessLines(gateway, reader.id).length > 0);
    const line = await accessLine(gateway, reader.id);
    expect(line).toMatchObject({ status: 499, error_code: 'client_stalled' });
    expect(reader.tail()).not.toContain('[DONE]');
  });
});

describe('a provider faster than its reader', () => {
  const bytesInAll = 64 * mib;
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'w'.repeat(64 * 1024) } }] })}\n\n`;

  it('is slowed down; the memory of the proxy stays bounded and no byte is lost', async () => {
    let sent = 0;
    const upstream = await startRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n');
      const more = () => {
        while (sent < bytesInAll) {
          sent += event.length;
          if (!socket.write(event)) return;
        }
        socket.end('data: [DONE]\n\n');
      };
      socket.on('drain', more);
      more();
    });
    const proxy = await gateway.startProxyProcess({ ...upstream.settings, GATEWAY_READER_TIMEOUT: '60s' });
    const quiet = await metric(proxy, 'process_resident_memory_bytes');
    const reader = await request(proxy.port, { stream: true });
    let before = 0;
    const isPaused = async () => {
      before = sent;
      await sleep(300);
      return sent > 0 && sent === before;
    };
    await until(isPaused, { timeoutMs: 60_000, what: 'the provider to be paused' });
    const sentSoFar = sent;
    const grown = (await metric(proxy, 'process_resident_memory_bytes')) - quiet;
    console.log(`paused after ${shown(sentSoFar)} of ${shown(bytesInAll)}; the proxy grew by ${shown(grown)}`);
    expect(sentSoFar).toBeLessThan(bytesInAll / 4);
    expect(grown).toBeLessThan(64 * mib);
    reader.readOn();
    await until(() => reader.tail().endsWith('data: [DONE]\n\n\r\n0\r\n\r\n'), { timeoutMs: 60_000 });
    expect(reader.received()).toBeGreaterThan(bytesInAll);
    reader.socket.destroy();
    await proxy.child.stop();
    await upstream.close();
  });

  const shown = (bytes: number) => `${(bytes / mib).toFixed(0)} MiB`;
});
