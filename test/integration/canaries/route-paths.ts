// Every row of the table of routes, in its own client format: with the virtual key in each header that may have it, with
// keys that are refused, with secrets in place of other values, and at a vendor that repeats the key of its request
// wherever it can.
import { type VendorName, vendorNames } from '../../../common/vendors.ts';
import type { ClientFormatName } from '../../../proxy/formats/client-format.ts';
import { isChat, type RouteRow, routeRows } from '../../../proxy/http/routes.ts';
import { chatBody } from '../../support/gateway.ts';
import { plainModels } from '../../support/vendors.ts';
import { expectStatus, type Header, send } from './proxy-paths.ts';
import type { Scene } from './scene.ts';
import { echoingResponses, ownCredentials, refusalsThatEcho, type StoredSecrets } from './vendor-paths.ts';

const keyHeaders = ['authorization', 'x-svc-vk', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** @param stored the secrets that each vendor gets with the stored key */
export async function walkRoutes(scene: Scene, stored: StoredSecrets): Promise<void> {
  const walked = new Set<string>();
  for (const row of routeRows) {
    await accepted(scene, row);
    // Rows of one operation differ by their path alone.
    const operation = `${row.format} ${row.operation}`;
    if (walked.has(operation)) continue;
    walked.add(operation);
    await refused(scene, row);
    await misplaced(scene, row);
    if (isChat(row)) await repeated(scene, row, stored);
  }
}

async function accepted(scene: Scene, row: RouteRow): Promise<void> {
  const { usable } = scene.keys;
  for (const name of keyHeaders) {
    const response = send(scene, [[name, name === 'authorization' ? `Bearer ${usable}` : usable]], request(row));
    if (isServed(row)) await expectStatus(200, response);
    else await response;
  }
}

/** Paths with a provider's name need another credential, and no response is stored under the id of these requests. */
function isServed(row: RouteRow): boolean {
  return isChat(row) && row.operation !== 'compact' && !row.path.includes('{provider}');
}

async function refused(scene: Scene, row: RouteRow): Promise<void> {
  const { revoked, inactive, own, owner, stored } = scene.keys;
  for (const key of [revoked, inactive, own, owner, stored]) {
    await send(scene, [['authorization', `Bearer ${key}`]], request(row));
    await send(scene, [['x-api-key', key]], request(row));
  }
}

async function misplaced(scene: Scene, row: RouteRow): Promise<void> {
  const { keys } = scene;
  const withKey: readonly Header[] = [['authorization', `Bearer ${keys.usable}`]];
  for (const secret of [keys.usable, keys.own]) {
    const { line, body } = request(row);
    await send(scene, withKey, { line: `${line}${line.includes('?') ? '&' : '?'}key=${secret}`, body });
    await send(scene, withKey, { line: lineOf(row, secret), body });
    for (const wrong of [`{"model":"${secret}"`, `{"${secret}":[]}`, JSON.stringify({ model: secret })]) {
      await send(scene, withKey, { line, body: wrong });
    }
    await send(scene, withKey, { line, body: body.replaceAll('Hello', secret).replace('"user"', `"${secret}"`) });
    // Texts of an unknown form are names of models that may exist.
    const named = { line: lineOf(row, `gpt-provider/${keys.usable}`), body };
    await send(scene, withKey, named);
    await send(scene, [...withKey, ['anthropic-version', secret], ['anthropic-beta', secret]], { line, body });
  }
}

/** At every vendor: native where it shares the format. */
async function repeated(scene: Scene, row: RouteRow, stored: StoredSecrets): Promise<void> {
  if (row.path.includes('{provider}')) return;
  for (const vendor of vendorNames) {
    const own = vendor === 'gpt-provider' ? ownOfGpt(scene) : ownCredentials(scene, vendor);
    const ways = [
      [[['authorization', `Bearer ${scene.keys.usable}`]], stored[vendor]],
      [[['x-svc-vk', scene.keys.usable], ['x-svc-direct-key', 'true'], ...own.generic], own.secrets],
    ] as const;
    for (const [headers, secrets] of ways) {
      for (const secret of secrets) {
        const played = [
          ...refusalsThatEcho(secret).map((behaviour) => [behaviour, false] as const),
          ...echoingResponses(secret).flatMap((behaviour) => [[behaviour, false] as const, [behaviour, true] as const]),
        ];
        for (const [behaviour, stream] of played) {
          await send(scene, headers, { ...request(row, { vendor, stream }), behaviour });
          // The gateway refuses some requests itself: their behaviour must not meet a request with another key.
          scene.gateway.simulator.reset();
        }
      }
    }
  }
}

function ownOfGpt({ keys }: Scene): { readonly generic: readonly Header[]; readonly secrets: readonly string[] } {
  return { generic: [['authorization', `Bearer ${keys.own}`]], secrets: [keys.own] };
}

interface Wanted {
  readonly vendor?: VendorName;
  readonly stream?: boolean;
}

function request(row: RouteRow, { vendor = 'gpt-provider', stream = false }: Wanted = {}) {
  const model = `${vendor}/${plainModels[vendor]}`;
  const body = row.method === 'GET' || !isChat(row) ? '' : JSON.stringify(bodyOf(row, model, stream));
  return { line: lineOf(row, model), body };
}

/** @param value of every name in the path */
function lineOf({ method, path }: RouteRow, value: string): string {
  const filled = path
    .replace('{provider}', 'gpt-provider')
    .replace('{endpoint}', 'simulated')
    .replaceAll(/\{\+?\w+\}/g, encodeURIComponent(value));
  return `${method} ${filled}`;
}

function bodyOf(
  { format, operation }: Extract<RouteRow, { readonly home: VendorName }>,
  model: string,
  stream: boolean,
) {
  const body = bodies[format](model, stream);
  return format === 'converse' && operation === 'count' ? { input: { converse: body } } : body;
}

const user = [{ role: 'user', content: 'Hello' }];

const bodies: Record<ClientFormatName, (model: string, stream: boolean) => object> = {
  chat_completions: (model, stream) => JSON.parse(chatBody({ model, stream })),
  messages: (model, stream) => ({ model, stream, max_tokens: 50, messages: user }),
  responses: (model, stream) => ({ model, stream, input: 'Hello' }),
  generate_content: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  converse: () => ({ messages: [{ role: 'user', content: [{ text: 'Hello' }] }] }),
  invoke: () => ({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 50, messages: user }),
};
