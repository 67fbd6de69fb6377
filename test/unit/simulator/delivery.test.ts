import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Behaviour, type Simulator, startSimulator } from '../../../simulator/index.ts';
import { openConnection } from '../../support/raw-http.ts';
import { eventsOf, postChat, valid } from './post-chat.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const streamed = { ...valid, stream: true };

/**
 * Returns all bytes of a response as they arrive on the connection, and whether the connection was reset instead of
 * closed.
 */
function rawChat(body: object): Promise<{ text: string; reset: boolean }> {
  const payload = JSON.stringify(body);
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: simulator',
    'authorization: Bearer sk-sim-test',
    'content-type: application/json',
    'connection: close',
    `content-length: ${Buffer.byteLength(payload)}`,
  ];
  return new Promise((resolve) => {
    const socket = connect(simulator.port, '127.0.0.1');
    let text = '';
    let reset = false;
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {
      reset = true;
    });
    socket.on('close', () => resolve({ text, reset }));
    socket.write(`${head.join('\r\n')}\r\n\r\n${payload}`);
  });
}

async function until(contains: () => boolean): Promise<void> {
  while (!contains()) await new Promise((resolve) => setImmediate(resolve));
}

describe('the delivery of a response', () => {
  it('starts after the scripted delay', async () => {
    simulator.script({ headDelayMs: 80 });
    const started = performance.now();
    await postChat(simulator, valid);
    expect(performance.now() - started).toBeGreaterThanOrEqual(79);
  });

  it('sends the events of a stream one by one with the scripted time between them', async () => {
    simulator.script({ tokens: 4, pieceDelayMs: 15 });
    const started = performance.now();
    const { text } = await rawChat(streamed);
    // Seven events: the role, four tokens, the finish, [DONE].
    expect(performance.now() - started).toBeGreaterThanOrEqual(6 * 15 - 1);
    expect(text.match(/token /g)).toHaveLength(4);
  });

  it('cuts the bytes where scripted, also in the middle of a character', async () => {
    simulator.script({ text: 'täglich 🍵 Tee', pieceBytes: [1, 7, 3] });
    const result = await postChat(simulator, streamed);
    const text = result.events().map((event) => (event.choices as [{ delta: { content?: string } }])[0].delta.content);
    expect(text.join('')).toBe('täglich 🍵 Tee');
  });
});

describe('a response that stops early', () => {
  it('closes the connection after the scripted number of events, without an end of the body', async () => {
    simulator.script({ tokens: 10, stop: { by: 'cut', afterPieces: 3 } });
    const { text, reset } = await rawChat(streamed);
    expect(text.match(/data: /g)).toHaveLength(3);
    expect(text).not.toContain('[DONE]');
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
    expect(reset).toBe(false);
    await until(() => simulator.requests[0]?.ended === 'stopped');
  });

  it('closes the connection after the scripted number of bytes', async () => {
    simulator.script({ stop: { by: 'cut', afterBytes: 10 } });
    const { text } = await rawChat(valid);
    expect(text).toContain('200 OK');
    expect(text.endsWith('\r\n\r\na\r\n{\n  "id": \r\n')).toBe(true);
  });

  it('sends the head and nothing more', async () => {
    simulator.script({ stop: { by: 'cut', afterPieces: 0 } });
    const { text } = await rawChat(streamed);
    expect(text).toContain('200 OK');
    expect(text).not.toContain('data:');
  });

  it('resets the connection before any byte of a response', async () => {
    simulator.script({ stop: { by: 'reset', beforeHead: true } });
    expect(await rawChat(valid)).toMatchObject({ text: '', reset: true });
  });

  it('ends a stream early as if it were complete', async () => {
    simulator.script({ tokens: 10, stop: { by: 'end', afterPieces: 2 } });
    const { text } = await rawChat(streamed);
    expect(text.endsWith('0\r\n\r\n')).toBe(true);
    expect(text).not.toContain('[DONE]');
  });

  it('never starts, and the simulator notices when the client leaves', async () => {
    simulator.script({ stop: { by: 'silence', beforeHead: true } });
    const leave = new AbortController();
    const result = fetch(`${simulator.baseUrls['gpt-provider']}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sim-test', 'content-type': 'application/json' },
      body: JSON.stringify(valid),
      signal: leave.signal,
    });
    await until(() => simulator.requests[0]?.status === 200);
    expect(simulator.requests[0]?.ended).toBeUndefined();
    leave.abort();
    await expect(result).rejects.toThrow();
    await until(() => simulator.requests[0]?.ended === 'client_left');
  });

  it('is recorded when the client leaves in the middle of a stream', async () => {
    simulator.script({ tokens: 1_000_000, pieceDelayMs: 1 });
    const leave = new AbortController();
    const response = await fetch(`${simulator.baseUrls['gpt-provider']}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sim-test', 'content-type': 'application/json' },
      body: JSON.stringify(streamed),
      signal: leave.signal,
    });
    expect(response.status).toBe(200);
    leave.abort();
    await until(() => simulator.requests[0]?.ended === 'client_left');
  });
});

describe('a malformed response', () => {
  it('can have any bytes with any content type and status', async () => {
    simulator.script({ status: 200, body: '<html>busy</html>', headers: { 'content-type': 'text/html' } });
    const page = await postChat(simulator, valid);
    expect([page.headers.get('content-type'), page.text]).toEqual(['text/html', '<html>busy</html>']);
    simulator.script({ status: 502, bodyBase64: Buffer.from([0xff, 0xfe, 0x00]).toString('base64') });
    const garbage = await postChat(simulator, valid);
    expect([garbage.status, Buffer.from(garbage.text).length]).toEqual([502, 7]);
  });

  it('can be something other than HTTP', async () => {
    simulator.script({ rawBase64: Buffer.from('220 smtp ready\r\n').toString('base64') });
    expect((await rawChat(valid)).text).toBe('220 smtp ready\r\n');
  });

  it('can have one event of any size', async () => {
    simulator.script({ tokens: 1, tokenBytes: 5_000_000 });
    const result = await postChat(simulator, streamed);
    expect(result.text.length).toBeGreaterThan(5_000_000);
    expect(eventsOf(result.text)).toHaveLength(3);
  });

  it('can have any headers in any spelling', async () => {
    simulator.script({ status: 429, headers: { 'retry-after': '6m0s', 'retry-after-ms': '1500' } });
    const result = await postChat(simulator, valid);
    expect(result.status).toBe(429);
    expect(result.headers.get('retry-after')).toBe('6m0s');
    expect(result.headers.get('retry-after-ms')).toBe('1500');
    expect(result.headers.get('x-ratelimit-limit-requests')).toBe('10000');
  });
});

describe('a scripted behaviour', () => {
  const statuses = async (count: number) => {
    const responses = [];
    for (let i = 0; i < count; i += 1) responses.push((await postChat(simulator, valid)).status);
    return responses;
  };

  it('applies to the next request, and a second one to the request after it', async () => {
    simulator.script({ status: 500 });
    simulator.script({ status: 429 });
    expect(await statuses(3)).toEqual([500, 429, 200]);
  });

  it('applies to as many requests as scripted', async () => {
    simulator.script({ status: 503 }, { times: 2 });
    expect(await statuses(3)).toEqual([503, 503, 200]);
    simulator.script({ status: 503 }, { times: Infinity });
    expect(await statuses(3)).toEqual([503, 503, 503]);
    simulator.reset();
    expect(await statuses(1)).toEqual([200]);
  });

  it('applies to a request that `when` accepts, which gets the whole request', async () => {
    simulator.script({ status: 500 }, { when: (request) => (request.json() as { user?: string }).user === 'unlucky' });
    expect((await postChat(simulator, valid)).status).toBe(200);
    expect((await postChat(simulator, { ...valid, user: 'unlucky' })).status).toBe(500);
  });

  it('never applies to a request that the vendor would refuse', async () => {
    simulator.script({ text: 'scripted' });
    expect((await postChat(simulator, { ...valid, nonsense: 1 })).status).toBe(400);
    expect((await postChat(simulator, valid)).text).toContain('scripted');
  });

  const requesting = (simulate: unknown) =>
    postChat(simulator, { ...valid, messages: [{ role: 'user', content: JSON.stringify({ simulate }) }] });

  it('can be in the request itself', async () => {
    expect((await requesting({ status: 503, headers: { 'retry-after': '2' } })).status).toBe(503);
    expect((await requesting({ text: 'scripted' })).text).toContain('scripted');
  });

  it.each<[string, unknown, string]>([
    ['an unknown field', { colour: 'red' }, "no field 'colour'"],
    ['a field of the wrong type', { status: 'bad' }, 'simulate.status is malformed'],
    ['a stop without a way', { stop: { by: 'magic' } }, 'simulate.stop.by is malformed'],
    ['a field of Object', { toString: 1 }, "no field 'toString'"],
    ['no object', 7, 'simulate must be an object'],
  ])('is refused in the request with %s', async (_name, simulate, message) => {
    const result = await requesting(simulate);
    expect(result.status).toBe(400);
    expect(result.text).toContain(message);
  });
});

describe('a received request', () => {
  it('is recorded with its credentials', async () => {
    await postChat(simulator, valid, { authorization: 'Bearer sk-sim-canary' });
    expect(simulator.requests).toHaveLength(1);
    expect(simulator.requests[0]).toMatchObject({
      method: 'POST',
      target: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-sim-canary' },
      status: 200,
      ended: 'finished',
    });
    expect(simulator.requests[0]?.json()).toEqual(valid);
  });

  it('is recorded also when it is refused, and when it is not JSON', async () => {
    await postChat(simulator, '{', { authorization: 'Basic x' });
    expect(simulator.requests[0]).toMatchObject({ status: 401, headers: { authorization: 'Basic x' } });
    expect(simulator.requests[0]?.json()).toBeUndefined();
  });

  it('is kept among the latest 2,000', async () => {
    // Without a wait for each response, over one connection.
    const { socket } = await openConnection(Number(new URL(simulator.url).port));
    socket.write('GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2_004));
    socket.write('GET /last HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await until(() => simulator.requests.at(-1)?.target === '/last');
    socket.destroy();
    expect(simulator.requests).toHaveLength(2_000);
  });

  it('is echoed when scripted, with hashes instead of credentials', async () => {
    const secret = 'sk-svc-0123456789abcdefghij';
    simulator.script({ echo: true } satisfies Behaviour);
    const result = await postChat(
      simulator,
      { ...valid, messages: [{ role: 'user', content: `my key is ${secret}` }] },
      { authorization: 'Bearer sk-sim-canary', 'x-odd': secret },
    );
    expect(result.text).not.toContain(secret);
    expect(result.text).not.toContain('sk-sim-canary');
    const { choices } = (await result.json()) as { choices: [{ message: { content: string } }] };
    const echo = JSON.parse(choices[0].message.content);
    expect(echo.headers.authorization).toBe(
      'Bearer sha256:4a854f024a6d10427d793f5f1d0d6e7e87ddb10f185bb4fd1f44db075c315950',
    );
    expect(echo.headers['x-odd']).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(JSON.parse(echo.body).model).toBe('gpt-4o-mini');
  });
});

describe('the simulator’s server', () => {
  it('reports which paths it serves', async () => {
    const response = await fetch(`${simulator.url}/v2/chat`);
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringMatching(/^no such path; the simulator serves \/v1\/…, /),
    ]);
  });

  it('rejects when its port is in use', async () => {
    await expect(startSimulator({ host: '127.0.0.1', port: simulator.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('ends open streams when it is closed', async () => {
    const other = await startSimulator({ host: '127.0.0.1', port: 0 });
    other.script({ tokens: 1_000_000, pieceDelayMs: 1 });
    const result = postChat(other, streamed);
    await until(() => other.requests[0]?.status === 200);
    await other.close();
    await expect(result).rejects.toThrow();
  });

  it('logs method, path and status, and no credential', async () => {
    const lines: object[] = [];
    const other = await startSimulator({
      host: '127.0.0.1',
      port: 0,
      log: { info: (fields) => lines.push(fields) },
    });
    await postChat(other, valid);
    await until(() => lines.length === 1);
    expect(lines).toEqual([{ method: 'POST', target: '/v1/chat/completions', status: 200, ended: 'finished' }]);
    await other.close();
  });
});
