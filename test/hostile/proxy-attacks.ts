// Attacks on proxies: a row for each resource of proxy/shares.ts, several when there are several ways.
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createCredential } from '../../common/credential.ts';
import {
  type Attack,
  atProxy,
  divided,
  type Hostile,
  keepCalling,
  keepCrowding,
  pause,
  proxyListener,
  tooMany,
} from './attack.ts';
import { bounds } from './bounds.ts';
import { call, chatBody, chatPath } from './calls.ts';
import { captureAll } from './captured.ts';
import type { Tenant } from './world.ts';

const imagesMax = 16;
const textMax = 1024 * 1024;
const mib = 1024 * 1024;
/** The alpha of requests, bytes and read-on responses, at the default of GATEWAY_ORGANIZATION_SHARE. */
const quarter = 1 / 3;
const half = 1;
const fourFifths = 4;

async function guard({ organization: { api, id } }: Tenant, check: object): Promise<Record<string, string>> {
  const fields = { stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_OBSERVE', check };
  await api.call('Guardrails/Create', { organizationId: id, name: `hostile-${randomUUID()}`, ...fields });
  return {};
}

/** Copies of all requests to the route `copied` go to a model that responds after some seconds. */
async function copyRequests({ organization: { api, id: organizationId } }: Tenant): Promise<Record<string, string>> {
  const waiting = 'waiting/gpt-4o-mini';
  await api.call('Prices/Create', { organizationId, model: waiting, prices: { input: '0.001', output: '0.001' } });
  await api.call('Limits/Create', {
    ...{ organizationId, subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: organizationId } },
    ...{ kind: 'LIMIT_KIND_BUDGET', amountUsd: '1000000', period: 'BUDGET_PERIOD_DAY', model: 'shadow/copied' },
  });
  await api.call('Routes/Create', {
    ...{ organizationId, name: 'copied', groups: [{ targets: [{ model: 'fast/gpt-4o-mini' }] }] },
    settings: { shadow: { model: waiting, percent: 100 } },
  });
  return {};
}

function copied(content = 'Hello'): string {
  return JSON.stringify({ model: 'route/copied', messages: [{ role: 'user', content }] });
}

export const proxyAttacks = {
  waiting_requests: {
    resource: 'proxy requests',
    about: 'chats at a provider that does not respond',
    neighbour: 'chats',
    run: (hostile) =>
      keepCalling(hostile, { loops: tooMany(hostile, bounds.inFlight, quarter), everyMs: 500 }, () =>
        atProxy(hostile, { path: chatPath, body: chatBody('waiting') }),
      ),
  },
  unread_streams: {
    resource: 'proxy requests',
    about: 'streams of which nothing is read',
    neighbour: 'chats',
    run: (hostile) => {
      const body = chatBody('stream', 'Hello', { stream: true });
      return keepSockets(hostile, tooMany(hostile, bounds.inFlight, quarter), (socket) => {
        socket.write(head(hostile, body.length) + body);
        socket.pause();
      });
    },
  },
  withheld_bodies: {
    resource: 'proxy buffered_bytes',
    about: 'bodies of 2 MiB of which the last byte does not come',
    neighbour: 'chats_of_300_kb',
    run: (hostile) => {
      const body = Buffer.from(chatBody('fast', 'x'.repeat(2 * mib)));
      return keepSockets(hostile, tooMany(hostile, bounds.bufferedMiB / 2, quarter), (socket) => {
        socket.write(head(hostile, body.length));
        socket.write(body.subarray(0, -1));
      });
    },
  },
  left_responses: {
    resource: 'proxy read_on',
    about: 'chats whose caller leaves before the response',
    neighbour: 'chats',
    run: (hostile) =>
      keepCalling(hostile, { loops: tooMany(hostile, bounds.readOn, quarter), everyMs: 500 }, () =>
        atProxy(hostile, { path: chatPath, body: chatBody('waiting'), leaveAfterMs: 1_000, agent: false }),
      ),
  },
  endless_responses: {
    resource: 'proxy background_responses',
    about: 'responses in the background that never end',
    neighbour: 'chats',
    prepare: async ({ organization: { api, id } }) => {
      await api.call('Organizations/UpdateSettings', { id, settings: { responses: { background: true } } });
      return {};
    },
    run: (hostile) => {
      const body = JSON.stringify({ model: 'gpt-provider/gpt-4o-mini', input: 'Hello', background: true });
      return keepCalling(hostile, { loops: tooMany(hostile, bounds.background, quarter), everyMs: 500 }, () =>
        atProxy(hostile, { path: '/v1/responses', body }),
      );
    },
  },
  waiting_copies: {
    resource: 'proxy shadow_requests',
    about: 'chats to a route whose copies go to a provider that does not respond',
    neighbour: 'chats',
    prepare: copyRequests,
    run: (hostile) =>
      keepCalling(hostile, { loops: tooMany(hostile, bounds.inFlight / 10, quarter), everyMs: 500 }, () =>
        atProxy(hostile, { path: chatPath, body: copied() }),
      ),
  },
  large_copies: {
    resource: 'proxy shadow_bytes',
    about: 'chats of 1 MiB to a route whose copies go to a provider that does not respond',
    neighbour: 'chats_of_300_kb',
    prepare: copyRequests,
    run: (hostile) =>
      keepCalling(hostile, { loops: tooMany(hostile, bounds.bufferedMiB / 10, quarter), everyMs: 500 }, () =>
        atProxy(hostile, { path: chatPath, body: copied('x'.repeat(mib)) }),
      ),
  },
  rows_of_requests: {
    resource: 'proxy request_rows',
    about: 'lists of models in a loop, each of which is a row of requests',
    neighbour: 'chats',
    seen: 'used',
    run: (hostile) =>
      keepCalling(hostile, { loops: 10, everyMs: 1 }, () => atProxy(hostile, { method: 'GET', path: '/v1/models' })),
  },
  captured_texts: {
    resource: 'proxy capture_bytes',
    about: 'chats of 1 MiB in a loop, of which an owner has captured all',
    neighbour: 'chats',
    seen: 'used',
    prepare: captureAll,
    run: (hostile) =>
      keepCalling(hostile, { loops: 10, everyMs: 5 }, () =>
        atProxy(hostile, { path: chatPath, body: chatBody('fast', 'x'.repeat(mib)) }),
      ),
  },
  names_of_images: {
    resource: 'proxy lookups',
    about: 'chats with 16 images each, at names that the DNS server never resolves',
    neighbour: 'chats_at_new_names',
    prepare: async ({ organization }) => {
      await organization.storeProviderKeys();
      return {};
    },
    run: (hostile) =>
      keepCalling(hostile, { loops: tooMany(hostile, 512 / imagesMax, half), everyMs: 500 }, () => {
        const zone = `${randomUUID()}.slow.example`;
        const content = Array.from({ length: imagesMax }, (_, index) => ({
          type: 'image_url',
          image_url: { url: `https://h${index}.${zone}/x.png` },
        }));
        const model = 'search-provider/gemini-2.5-flash';
        const body = JSON.stringify({ model, messages: [{ role: 'user', content }] });
        return atProxy(hostile, { path: chatPath, body });
      }),
  },
  half_heads: {
    resource: 'proxy connections',
    about: 'connections that send half a head, or nothing',
    neighbour: 'chats_on_new_connections',
    run: (hostile) =>
      keepSockets(hostile, tooMany(hostile, bounds.connections, fourFifths), (socket, index) => {
        if (index % 2 === 0) socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n');
      }),
  },
  made_up_keys: {
    resource: 'proxy unknown_credentials',
    about: 'unknown keys in the right format',
    neighbour: 'chats_with_new_keys',
    run: (hostile) =>
      keepCalling(hostile, { loops: 2, everyMs: 40 * hostile.tenants }, () =>
        call(proxyListener(hostile), {
          ...{ path: chatPath, key: createCredential('virtualKey'), signal: hostile.signal },
          body: chatBody('fast'),
        }),
      ),
  },
  long_prompts: {
    resource: 'proxy guardrail_slices',
    about: 'prompts of 150,000 characters, at an expression',
    neighbour: 'inspected_chats',
    seen: 'used',
    prepare: (tenant) => guard(tenant, { pattern: { patterns: ['forbidden[a-z]+x'] } }),
    run: (hostile) => sendLong(hostile, { loops: divided(hostile, 30), everyMs: 500, text: plain.slice(0, 150_000) }),
  },
  long_personal_data: {
    resource: 'proxy guardrail_queue',
    about: 'prompts of a million characters, much of them numbers, at a search for personal data',
    neighbour: 'inspected_chats',
    seen: 'used',
    prepare: (tenant) => guard(tenant, { personalData: {} }),
    run: (hostile) => sendLong(hostile, { loops: divided(hostile, 30), everyMs: 500, text: numbers }),
  },
  slow_pattern: {
    resource: 'proxy guardrail_workers',
    about: 'the pattern (.*a){20} on 100,000 letters a',
    neighbour: 'long_inspected_chats',
    seen: 'used',
    prepare: (tenant) => guard(tenant, { pattern: { patterns: ['(.*a){20}'] } }),
    run: (hostile) => sendLong(hostile, { loops: divided(hostile, 10), everyMs: 1_000, text: 'a'.repeat(100_000) }),
  },
  large_bodies: {
    resource: 'proxy translation_queue',
    about: 'bodies of 4 MiB, whole',
    neighbour: 'chats',
    seen: 'used',
    run: (hostile) => {
      const body = Buffer.from(chatBody('fast', 'plain words '.repeat((4 * mib) / 12)));
      return keepCrowding(hostile, { crowd: Math.max(2, divided(hostile, 4)), everyMs: 1_000 }, () =>
        atProxy(hostile, { path: chatPath, body }),
      );
    },
  },
  many_members: {
    resource: 'proxy translation_workers',
    about: 'bodies of 60,000 members',
    neighbour: 'chats',
    seen: 'used',
    run: (hostile) => {
      const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`m${index}`, index]));
      const body = Buffer.from(chatBody('fast', 'Hello', { extra: members }));
      return keepCalling(hostile, { loops: divided(hostile, 4), everyMs: 1_000 }, () =>
        atProxy(hostile, { path: chatPath, body }),
      );
    },
  },
  fast_streams: {
    resource: 'proxy loop_turns',
    about: 'streams of much text, read at full speed, from a provider of their own',
    neighbour: 'chats',
    seen: 'used',
    run: (hostile) => {
      const body = chatBody('stream', 'Hello', { stream: true });
      return keepCalling(hostile, { loops: divided(hostile, 4), everyMs: 1_000 }, () =>
        atProxy(hostile, { path: chatPath, body }),
      );
    },
  },
  small_chats: {
    resource: 'proxy loop_turns',
    about: 'small chats, each as soon as the one before has its response',
    neighbour: 'chats',
    seen: 'used',
    run: (hostile) =>
      keepCalling(hostile, { loops: divided(hostile, 60), everyMs: 0 }, () =>
        atProxy(hostile, { path: chatPath, body: chatBody('fast') }),
      ),
  },
} as const satisfies Record<string, Attack>;

const numbers = 'of 4111 1111 1111 1112, '.repeat(Math.floor((textMax * 0.95) / 24));
const plain = 'plain words '.repeat(Math.floor((textMax * 0.95) / 12));

function sendLong(
  hostile: Hostile,
  { loops, everyMs, text }: { readonly loops: number; readonly everyMs: number; readonly text: string },
): Promise<void> {
  const body = Buffer.from(chatBody('fast', text));
  return keepCalling(hostile, { loops, everyMs }, () => atProxy(hostile, { path: chatPath, body }));
}

/** Returns the head of a request with a body of the given size. */
function head({ key }: Hostile, bytes: number): string {
  const lines = [
    `POST ${chatPath} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${bytes}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Keeps a number of sockets open. A closed one is opened again after a while. */
async function keepSockets(
  hostile: Hostile,
  count: number,
  begin: (socket: Socket, index: number) => void,
): Promise<void> {
  const { address, ports, signal } = hostile;
  const reservation = async (index: number) => {
    await pause(index, signal);
    while (!signal.aborted) {
      const socket = connect({ port: ports.proxy, host: '127.0.0.1', localAddress: address });
      socket.on('error', () => undefined);
      begin(socket, index);
      hostile.count(await ended(socket, signal));
      await pause(1_000, signal);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => reservation(index)));
}

/** @returns the status of the response, or "closed" without one */
function ended(socket: Socket, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    let status = 'closed';
    socket.once('data', (chunk: Buffer) => {
      status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? status;
    });
    const leave = () => socket.destroy();
    signal.addEventListener('abort', leave);
    socket.once('close', () => {
      signal.removeEventListener('abort', leave);
      resolve(status);
    });
    if (signal.aborted) leave();
  });
}
