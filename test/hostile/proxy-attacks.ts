// Attacks at proxies: a row for each resource of proxy/shares.ts, several where there are several ways.
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createCredential } from '../../common/credential.ts';
import { guardrailFields } from '../support/guardrails/desk.ts';
import { type Attack, atProxy, type Hostile, keepCalling, pause, proxyDoor } from './attack.ts';
import { call, chatBody, chatPath } from './calls.ts';
import { bounds, type Tenant } from './world.ts';

const imagesMax = 16;
const textMax = 1024 * 1024;

/** An organization has half of the places where it is alone. */
const overHalf = (places: number) => Math.ceil(places * 0.6);

async function guard({ organization: { api, id } }: Tenant, check: object): Promise<Record<string, string>> {
  const fields = guardrailFields(['input', 'observe'], { ...check });
  await api.call('Guardrails/Create', { organizationId: id, name: `hostile-${randomUUID()}`, ...fields });
  return {};
}

export const proxyAttacks = {
  names_of_images: {
    resource: 'proxy lookups',
    about: 'chats with 16 images each, at names that are never answered',
    neighbour: 'chats_at_new_names',
    prepare: async ({ organization }) => {
      await organization.storeProviderKeys();
      return {};
    },
    run: (hostile) =>
      keepCalling(hostile, { loops: overHalf(512 / imagesMax), everyMs: 200 }, () => {
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
    run: (hostile) => holdConnections(hostile, bounds.connections),
  },
  made_up_keys: {
    resource: 'proxy unknown_credentials',
    about: 'keys in the right form that nobody has made',
    neighbour: 'chats_with_new_keys',
    run: (hostile) =>
      keepCalling(hostile, { loops: 2, everyMs: 40 }, () =>
        call(proxyDoor(hostile), {
          ...{ path: chatPath, key: createCredential('virtualKey'), signal: hostile.signal },
          body: chatBody('gpt-provider'),
        }),
      ),
  },
  long_prompts: {
    resource: 'proxy guardrail_slices',
    about: 'prompts of a million characters, at a list of words',
    neighbour: 'inspected_chats',
    prepare: (tenant) => guard(tenant, { words: { phrases: ['forbidden'] } }),
    run: (hostile) =>
      sendLong(hostile, { loops: 40, everyMs: 4_000, text: 'plain words '.repeat(textMax / 12) }),
  },
  long_personal_data: {
    resource: 'proxy guardrail_queue',
    about: 'prompts of a million characters, at a search for personal data',
    neighbour: 'inspected_chats',
    prepare: (tenant) => guard(tenant, { personalData: {} }),
    run: (hostile) =>
      sendLong(hostile, { loops: 40, everyMs: 4_000, text: 'plain words '.repeat(textMax / 12) }),
  },
  slow_pattern: {
    resource: 'proxy guardrail_workers',
    about: 'the pattern (.*a){20} on 100,000 letters a',
    neighbour: 'long_inspected_chats',
    prepare: (tenant) => guard(tenant, { pattern: { patterns: ['(.*a){20}'] } }),
    run: (hostile) => sendLong(hostile, { loops: 4, everyMs: 100, text: 'a'.repeat(100_000) }),
  },
} as const satisfies Record<string, Attack>;

function sendLong(
  hostile: Hostile,
  { loops, everyMs, text }: { readonly loops: number; readonly everyMs: number; readonly text: string },
): Promise<void> {
  const body = Buffer.from(
    JSON.stringify({ model: 'gpt-provider/gpt-4.1-mini', messages: [{ role: 'user', content: text }] }),
  );
  return keepCalling(hostile, { loops, everyMs }, () => atProxy(hostile, { path: chatPath, body }));
}

/** Has so many open at a time; one that was closed is opened again after a while. */
async function holdConnections(hostile: Hostile, count: number): Promise<void> {
  const { signal } = hostile;
  const hold = async (index: number) => {
    await pause(index, signal);
    while (!signal.aborted) {
      hostile.count(await closing(openHalf(hostile, index), hostile));
      await pause(500, signal);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => hold(index)));
}

function openHalf({ address, ports }: Hostile, index: number): Socket {
  const socket = connect({ port: ports.proxy, host: '127.0.0.1', localAddress: address });
  socket.on('error', () => undefined);
  if (index % 2 === 0) socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n');
  return socket;
}

function closing(socket: Socket, { signal }: Hostile): Promise<string> {
  return new Promise((resolve) => {
    let status = 'closed';
    socket.once('data', (chunk: Buffer) => {
      status = /^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? status;
    });
    socket.once('close', () => resolve(status));
    signal.addEventListener('abort', () => socket.destroy());
    if (signal.aborted) socket.destroy();
  });
}
