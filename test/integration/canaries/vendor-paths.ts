// The paths of proxy-paths for the credentials of every vendor, stored and callers' own: API keys, cloud access keys
// and their session token. They are accepted, refused, repeated by the vendor wherever it can, and sent in place of
// other values.
import { randomBytes } from 'node:crypto';
import type { Behaviour } from '../../../simulator/index.ts';
import { accounts } from '../../../simulator/managed-cloud-models/accounts.ts';
import type { VendorName } from '../../../simulator/vendors.ts';
import { chatBody } from '../../support/gateway.ts';
import { ownPath, plainModels, region } from '../../support/vendors.ts';
import { expectStatus, type Header, headersThatEcho, send } from './proxy-paths.ts';
import type { Scene } from './scene.ts';

interface Way {
  readonly vendor: VendorName;
  readonly line: string;
  /** In the form that the route needs. */
  readonly model: string;
  readonly headers: readonly Header[];
  /** The secrets that the vendor receives. */
  readonly secrets: readonly string[];
}

/** The secrets that each vendor gets with the stored key. */
export type StoredSecrets = Readonly<Record<VendorName, readonly string[]>>;

export async function walkVendors(scene: Scene): Promise<StoredSecrets> {
  const stored = await storeKeys(scene);
  const ways = vendors.flatMap((vendor) => waysTo(scene, vendor, stored[vendor]));
  for (const way of ways) {
    await taken(scene, way);
    await repeated(scene, way);
  }
  await Promise.all(ways.map((way) => withoutResponse(scene, way)));
  await misplaced(scene);
  return { ...stored, 'gpt-provider': [scene.keys.stored] };
}

const vendors = ['studio-ai', 'managed-cloud-models', 'assistant-provider', 'search-provider'] as const;
type Vendor = (typeof vendors)[number];

const chat = '/v1/chat/completions';

function random(): string {
  return `sk-sim-${randomBytes(18).toString('hex')}`;
}

async function storeKeys({ gateway, canaries, call }: Scene): Promise<Readonly<Record<Vendor, readonly string[]>>> {
  const add = (vendor: Vendor, value = random()) => canaries.add(`stored key of ${vendor}`, value);
  const { accessKeyId, secretAccessKey } = accounts.permanent;
  const cloud = { accessKeyId, secretAccessKey: add('managed-cloud-models', secretAccessKey) };
  canaries.add('stored access key id', accessKeyId);
  const keys = {
    'studio-ai': { secret: { apiKey: add('studio-ai') }, settings: { endpoint: 'simulated' } },
    'managed-cloud-models': { secret: cloud, settings: { region } },
    'assistant-provider': { secret: { apiKey: add('assistant-provider') } },
    'search-provider': { secret: { apiKey: add('search-provider') } },
  } as const;
  for (const [provider, key] of Object.entries(keys)) {
    const organizationId = gateway.organization.id;
    await call('ProviderKeys/Create', { organizationId, provider, name: provider, ...key });
  }
  const secretsOf = (vendor: Vendor) => Object.values(keys[vendor].secret);
  return {
    'studio-ai': secretsOf('studio-ai'),
    'managed-cloud-models': secretsOf('managed-cloud-models'),
    'assistant-provider': secretsOf('assistant-provider'),
    'search-provider': secretsOf('search-provider'),
  };
}

function waysTo(scene: Scene, vendor: Vendor, stored: readonly string[]): readonly Way[] {
  const { usable, project } = scene.keys;
  const own = ownCredentials(scene, vendor);
  const generic = { vendor, line: `POST ${chat}`, model: `${vendor}/${plainModels[vendor]}` };
  const direct: readonly Header[] = [
    ['x-svc-vk', usable],
    ['x-svc-direct-key', 'true'],
  ];
  return [
    { ...generic, headers: [['authorization', `Bearer ${usable}`]], secrets: stored },
    { ...generic, headers: [...direct, ...own.generic], secrets: own.secrets },
    {
      vendor,
      line: `POST ${ownPath(vendor)}/chat/completions`,
      model: plainModels[vendor],
      headers: [['project-api-key', project], ...own.route],
      secrets: own.secrets,
    },
  ];
}

interface OwnCredentials {
  readonly generic: readonly Header[];
  readonly route: readonly Header[];
  readonly secrets: readonly string[];
}

export function ownCredentials({ canaries }: Scene, vendor: Vendor): OwnCredentials {
  if (vendor === 'managed-cloud-models') {
    const { accessKeyId, secretAccessKey, sessionToken } = accounts.temporary;
    canaries.add("caller's access key id", accessKeyId);
    canaries.add("caller's secret access key", secretAccessKey);
    canaries.add("caller's session token", sessionToken);
    const headers: readonly Header[] = [
      ['cloud-access-key-id', accessKeyId],
      ['cloud-secret-access-key', secretAccessKey],
      ['cloud-session-token', sessionToken],
      ['cloud-region-name', region],
    ];
    return { generic: headers, route: headers, secrets: [accessKeyId, secretAccessKey, sessionToken] };
  }
  const key = canaries.add(`caller's key of ${vendor}`, vendor === 'studio-ai' ? token() : random());
  const plain: readonly Header[] = [['authorization', vendor === 'studio-ai' ? `Bearer ${key}` : key]];
  return { generic: [['x-api-key', key]], route: plain, secrets: [key] };
}

/** A token of the directory, in the form that the simulator accepts. */
function token(): string {
  return `eyJzaW0.eyJzaW0.${random()}`;
}

async function taken(scene: Scene, { line, model, headers }: Way): Promise<void> {
  for (const stream of [false, true]) {
    await expectStatus(200, send(scene, headers, { line, body: chatBody({ model, stream }) }));
  }
}

async function repeated(scene: Scene, { line, model, headers, secrets }: Way): Promise<void> {
  const whole = chatBody({ model });
  const streamed = chatBody({ model, stream: true });
  for (const secret of secrets) {
    for (const behaviour of refusalsThatEcho(secret)) await send(scene, headers, { line, body: whole, behaviour });
    for (const behaviour of echoingResponses(secret)) {
      await send(scene, headers, { line, body: whole, behaviour });
      await send(scene, headers, { line, body: streamed, behaviour });
    }
  }
}

async function withoutResponse(scene: Scene, { line, model, headers }: Way): Promise<void> {
  const behaviour: Behaviour = { stop: { by: 'silence', beforeHead: true } };
  await send(scene, headers, { port: scene.hasty.port, line, body: chatBody({ model }), behaviour });
}

export function refusalsThatEcho(secret: string): readonly Behaviour[] {
  const error = { message: `no such key ${secret}, Bearer ${secret}`, type: secret, code: secret };
  const headers = headersWith(secret);
  return [400, 401, 403, 404, 429, 500].map((status) => ({ status, error, headers }));
}

export function echoingResponses(secret: string): readonly Behaviour[] {
  const headers = headersWith(secret);
  const json = JSON.stringify({ error: { message: secret, code: secret }, type: 'error', message: secret });
  return [
    { status: 400, body: json, headers: { ...headers, 'x-amzn-errortype': secret } },
    { headers },
    { body: secret },
    { body: `data: ${json}\n\n`, headers: { 'content-type': 'text/event-stream' } },
    { text: 'b '.repeat(20), errorAfterEvents: 2, error: { message: secret, code: secret } },
    { headers: { 'content-type': `text/${secret}` } },
  ];
}

/** The echoing headers whose names are valid with this secret inside. */
function headersWith(secret: string): Record<string, string> {
  const all = Object.entries(headersThatEcho(secret));
  return Object.fromEntries(all.filter(([name]) => /^[\w-]+$/.test(name)));
}

/** Secrets in place of other values, and requests with missing parts. */
async function misplaced(scene: Scene): Promise<void> {
  const { usable, project, own } = scene.keys;
  const { accessKeyId, secretAccessKey, sessionToken } = accounts.temporary;
  const onRoute: Header = ['project-api-key', project];
  const cloud = 'POST /v1/managed-cloud-models/chat/completions';
  for (const secret of [usable, own, secretAccessKey, sessionToken]) {
    await send(scene, [onRoute, ['authorization', `Bearer ${own}`]], {
      line: `POST /v1/studio-ai/${secret}/chat/completions`,
    });
    const parts: readonly (readonly [string, string])[] = [
      ['cloud-access-key-id', accessKeyId],
      ['cloud-secret-access-key', secretAccessKey],
      ['cloud-region-name', region],
    ];
    for (const [missing] of parts) {
      const others = parts.filter(([name]) => name !== missing);
      await send(scene, [onRoute, ...others], { line: cloud });
      await send(scene, [onRoute, ...others, [missing, secret]], { line: cloud });
      await send(scene, [onRoute, ...parts, [missing, secret]], { line: cloud });
    }
    // The gateway returns the names of dropped fields to the caller.
    const body = chatBody({ model: 'assistant-provider/claude-sonnet-4-5', [secret]: 1 });
    await expectStatus(200, send(scene, [['authorization', `Bearer ${usable}`]], { body }));
  }
}
