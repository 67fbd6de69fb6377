// The first organization. The first start creates it by the same calls that an operator makes; later starts update it.
import { isObject, type JsonObject } from '../common/json.ts';
import type { DataFolder } from './data-folder.ts';
import { type OperatorApi, operatorApi } from './operator-api.ts';
import type { VendorKey } from './vendors.ts';

export interface Demo {
  readonly organizationId: string;
  /** Only after the first start; shown once. */
  readonly secrets: DemoSecrets | undefined;
}

export interface DemoSecrets {
  readonly platformToken: string;
  readonly operatorToken: string;
  readonly virtualKey: string;
}

export interface DemoOptions {
  readonly data: DataFolder;
  /** Port of the JSON API. */
  readonly port: number;
  /** Valid once, for an empty control plane. */
  readonly bootstrapToken: string;
  /** The organization's wanted keys, by provider. */
  readonly providerKeys: Readonly<Record<string, VendorKey>>;
}

const keyName = 'quickstart';
const renewBeforeMs = 14 * 24 * 60 * 60 * 1000;

/** @throws Error if the data folder and the database do not belong together */
export async function prepareDemo(options: DemoOptions): Promise<Demo> {
  const token = options.data.read('operator-token');
  if (token === undefined) return createDemo(options);
  const api = operatorApi(options.port, token);
  const { organizations } = await api.call('Organizations/List', {}).catch((cause: unknown) => {
    throw new Error(`the operator token in ${options.data.path} does not open the database beside it`, {
      cause,
    });
  });
  const organizationId = textOf(first(organizations), 'id');
  await keepProviderKeys(api, organizationId, options.providerKeys);
  await renewOperatorToken(api, organizationId, options.data);
  return { organizationId, secrets: undefined };
}

async function createDemo({ data, port, bootstrapToken, providerKeys }: DemoOptions): Promise<Demo> {
  const { token: platformToken } = await operatorApi(port, bootstrapToken).call('OperatorTokens/Bootstrap', {
    name: 'platform',
  });
  const platform = operatorApi(port, String(platformToken));
  const created = await platform.call('Organizations/Create', { name: 'demo', owner: { name: 'owner' } });
  const organizationId = textOf(created.organization, 'id');
  const operatorToken = textOf(created, 'ownerToken');
  const proxyToken = await platform.call('ProxyTokens/Create', { name: 'quickstart' });
  const owner = operatorApi(port, operatorToken);
  await keepProviderKeys(owner, organizationId, providerKeys);
  const system = await owner.call('AiSystems/Create', { organizationId, name: 'demo-app' });
  const key = await owner.call('VirtualKeys/Create', {
    organizationId,
    name: 'demo-key',
    scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: textOf(system, 'id') },
  });
  // Written last: without a token, an interrupted first start fails at the next start, instead of running half a demo.
  data.write('proxy-token', textOf(proxyToken, 'value'));
  data.write('operator-token', operatorToken);
  return {
    organizationId,
    secrets: { platformToken: String(platformToken), operatorToken, virtualKey: textOf(key, 'value') },
  };
}

/**
 * A key of the simulator and a key of the vendor replace each other under one name, as environment variables are set or
 * unset.
 */
async function keepProviderKeys(
  api: OperatorApi,
  organizationId: string,
  wanted: Readonly<Record<string, VendorKey>>,
): Promise<void> {
  const { providerKeys } = await api.call('ProviderKeys/List', { organizationId });
  const known = (Array.isArray(providerKeys) ? providerKeys : []).filter(isObject);
  for (const [provider, key] of Object.entries(wanted)) {
    const own = known.find((one) => one.provider === provider && String(one.name).startsWith(keyName));
    if (own === undefined) {
      const name = `${keyName}-${provider}`;
      await api.call('ProviderKeys/Create', { organizationId, provider, name, ...key });
    } else
      await api.call('ProviderKeys/Update', {
        id: textOf(own, 'id'),
        secret: key.secret,
        settings: { ...cleared(own), ...key.settings },
      });
  }
}

/** Clears settings of the last start that this one does not set. */
function cleared(key: JsonObject): object {
  const settings = isObject(key.settings) ? Object.keys(key.settings) : [];
  return Object.fromEntries(settings.map((name) => [name, '']));
}

/** @returns a link that signs the owner in at the console, once; undefined if the console is off */
export async function consoleLink(port: number, data: DataFolder): Promise<string | undefined> {
  const api = operatorApi(port, data.read('operator-token') ?? '');
  const { url } = await api.call('Sessions/CreateLink', {}).catch(() => ({ url: undefined }));
  return typeof url === 'string' ? url : undefined;
}

/** Operator tokens end after 90 days; the token in the data folder is renewed two weeks earlier. */
async function renewOperatorToken(api: OperatorApi, organizationId: string, data: DataFolder): Promise<void> {
  const { people } = await api.call('People/List', { organizationId });
  const owner = (Array.isArray(people) ? people : []).find(
    (person) => isObject(person) && person.role === 'ROLE_OWNER',
  );
  const personId = textOf(owner, 'id');
  const { operatorTokens } = await api.call('OperatorTokens/List', { personId });
  const hint = data.read('operator-token')?.slice(-4);
  const kept = (Array.isArray(operatorTokens) ? operatorTokens : []).find(
    (token) => isObject(token) && token.hint === hint,
  );
  if (Date.parse(textOf(kept, 'endsAt')) - Date.now() > renewBeforeMs) return;
  const renewed = await api.call('OperatorTokens/Create', {
    personId,
    name: `quickstart ${new Date().toISOString()}`,
  });
  data.write('operator-token', textOf(renewed, 'value'));
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function textOf(value: unknown, field: string): string {
  const found = isObject(value) ? value[field] : undefined;
  if (typeof found !== 'string') throw new Error(`the control plane responded without ${field}`);
  return found;
}
