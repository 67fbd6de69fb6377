// Organizations with one provider key of each vendor, and with two. Health remembers what a key did, so a second key is
// shown with an organization of its own for each request.
import type { VendorName } from '../../../common/vendors.ts';
import { vendorNames } from '../../../common/vendors.ts';
import type { RecordedRequest } from '../../../simulator/index.ts';
import { accounts } from '../../../simulator/managed-cloud-models/accounts.ts';
import { newOrganization, type TestGateway } from '../../support/gateway.ts';
import { region, storedKeys } from '../../support/vendors.ts';

const { permanent, temporary } = accounts;

/** Secrets of both keys, and how the vendor recognizes the second one. */
const secrets = {
  'gpt-provider': [{ apiKey: 'sk-sim-first-0123456789' }, { apiKey: 'sk-sim-second-0123456789' }],
  'studio-ai': [{ apiKey: 'sk-sim-first-studio-0123' }, { apiKey: 'sk-sim-second-studio-0123' }],
  'managed-cloud-models': [permanent, temporary],
  'assistant-provider': [{ apiKey: 'sk-ant-sim-first-0123' }, { apiKey: 'sk-ant-sim-second-0123' }],
  'search-provider': [{ apiKey: 'AIzaSimFirst-0123456789' }, { apiKey: 'AIzaSimSecond-0123456789' }],
} as const satisfies Record<VendorName, readonly [object, object]>;

export const secretTexts: readonly string[] = Object.values(secrets)
  .flat()
  .flatMap((secret) => Object.values(secret).map(String));

export type KeyName = 'first' | 'second';

/** The key that a request to the simulator had. */
export function keyOf({ headers }: RecordedRequest): KeyName {
  return /second|TEMPORARY/i.test(JSON.stringify(headers)) ? 'second' : 'first';
}

export interface KeyOptions {
  readonly isPair: boolean;
  /** Of the first key; default: the simulator. */
  readonly baseUrls?: Readonly<Record<VendorName, string>>;
}

/** @returns a virtual key of a new organization */
export async function keyOfNew(gateway: TestGateway, { isPair, baseUrls }: KeyOptions): Promise<string> {
  const { platform, controlPlane } = gateway;
  count++;
  const { id, api, createKey } = await newOrganization(platform, controlPlane.httpPort, `failures-${count}`);
  const listed = (await api.call('ProviderKeys/List', { organizationId: id })) as { providerKeys: { id: string }[] };
  for (const key of listed.providerKeys) await api.call('ProviderKeys/Delete', { id: key.id });
  const create = (provider: VendorName, name: KeyName) => {
    const { accessKeyId, secretAccessKey, sessionToken, apiKey }: Partial<Record<string, string>> =
      secrets[provider][name === 'first' ? 0 : 1];
    const baseUrl = name === 'first' ? baseUrls?.[provider] : undefined;
    return api.call('ProviderKeys/Create', {
      ...{ organizationId: id, provider, name: `${provider}-${name}`, priority: name === 'first' ? 0 : 1 },
      secret: { accessKeyId, secretAccessKey, sessionToken, apiKey },
      settings: { ...settingsOf(provider), ...(baseUrl !== undefined && { baseUrl }) },
    });
  };
  await Promise.all(
    vendorNames.flatMap((provider) => [create(provider, 'first'), ...(isPair ? [create(provider, 'second')] : [])]),
  );
  return (await createKey()).value;
}

let count = 0;

function settingsOf(provider: VendorName): object {
  if (provider === 'managed-cloud-models') return { region };
  return provider === 'studio-ai' ? storedKeys[provider].settings : {};
}
