// Names where the contract takes ids: what is no id is looked up among all there are, and stands for exactly one of them.
import type { JsonObject } from '../common/json.ts';
import { canonicalProviderName } from '../common/provider-names.ts';
import { isUuid } from '../common/uuid.ts';
import type { Client, MethodName } from './client.ts';
import { usageMistake } from './failure.ts';
import { readPages } from './pages.ts';

interface Naming {
  readonly list: MethodName;
  /** The field that names it. */
  readonly by: string;
  /** The command that shows them. */
  readonly shownBy: string;
}

const namings = {
  organization: { list: 'Organizations.List', by: 'name', shownBy: 'organizations list' },
  system: { list: 'AiSystems.List', by: 'name', shownBy: 'systems list' },
  person: { list: 'People.List', by: 'name', shownBy: 'people list' },
  key: { list: 'VirtualKeys.List', by: 'name', shownBy: 'keys list' },
  'provider key': { list: 'ProviderKeys.List', by: 'name', shownBy: 'provider-keys list' },
  provider: { list: 'Providers.List', by: 'name', shownBy: 'providers list' },
  price: { list: 'Prices.List', by: 'model', shownBy: 'prices list' },
  guardrail: { list: 'Guardrails.List', by: 'name', shownBy: 'guardrails list' },
  webhook: { list: 'Webhooks.List', by: 'name', shownBy: 'webhooks list' },
  'proxy token': { list: 'ProxyTokens.List', by: 'name', shownBy: 'proxy-tokens list' },
} as const satisfies Record<string, Naming>;

export type Noun = keyof typeof namings;

export function isNamedInOrganization(noun: Noun): boolean {
  return noun !== 'organization' && noun !== 'proxy token';
}

/** @throws Failure where the name stands for none or for several */
export async function idOf(
  noun: Noun,
  text: string,
  client: Client,
  organizationId: () => Promise<string | undefined>,
): Promise<string> {
  if (isUuid(text)) return text;
  const { list, by, shownBy } = namings[noun];
  const within = isNamedInOrganization(noun) ? await organizationId() : undefined;
  const request = within === undefined ? {} : { organizationId: within };
  const { items } = await readPages(client, list, request, Number.POSITIVE_INFINITY);
  // Prices are named by their models, which have the canonical name of their provider.
  const name = noun === 'price' ? withCanonicalProvider(text) : text;
  const named = items.filter((item) => item[by] === name);
  const inForce = named.filter(({ revokedAt }) => typeof revokedAt !== 'string');
  const found = inForce.length > 0 ? inForce : named;
  const [only] = found;
  if (only === undefined)
    throw usageMistake(`there is no ${noun} "${text}"; gatewayctl ${shownBy} shows those there are`);
  if (found.length > 1)
    throw usageMistake(`"${text}" is the ${by} of ${found.length}; give an id: ${found.map(id).join(', ')}`);
  return id(only);
}

function withCanonicalProvider(model: string): string {
  const slash = model.indexOf('/');
  const provider = slash === -1 ? undefined : canonicalProviderName(model.slice(0, slash));
  return provider === undefined ? model : provider + model.slice(slash);
}

function id(item: JsonObject): string {
  return String(item.id);
}
