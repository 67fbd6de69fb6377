// Accepts names where the contract takes ids. A text that is not an id is looked up among all objects and must name
// exactly one. The caller's own id needs no look-up, which members are not allowed to make.
import type { JsonObject } from '../common/json.ts';
import { isUuid } from '../common/uuid.ts';
import { canonicalVendorName } from '../common/vendors.ts';
import type { StatusCaller__Output as StatusCaller } from '../proto/generated/gateway/v1/StatusCaller.ts';
import type { Client, MethodName } from './client.ts';
import { usageMistake } from './failure.ts';
import { readPages } from './pages.ts';

interface Naming {
  readonly list: MethodName;
  /** The field with the name. */
  readonly by: string;
  /** The command that lists them. */
  readonly shownBy: string;
  /** Further fields of the list request, so that no named object is omitted. */
  readonly query?: object;
  /** Which of them have the noun. Default: all. */
  readonly isOne?: (item: JsonObject) => boolean;
}

const namings = {
  organization: { list: 'Organizations.List', by: 'name', shownBy: 'organizations list' },
  system: { list: 'AiSystems.List', by: 'name', shownBy: 'systems list' },
  person: { list: 'People.List', by: 'name', shownBy: 'people list' },
  key: {
    list: 'VirtualKeys.List',
    by: 'name',
    shownBy: 'keys list --include-revoked',
    query: { includeRevoked: true },
  },
  'provider key': { list: 'ProviderKeys.List', by: 'name', shownBy: 'provider-keys list' },
  provider: { list: 'Providers.List', by: 'name', shownBy: 'providers list' },
  route: { list: 'Routes.List', by: 'name', shownBy: 'routes list' },
  price: { list: 'Prices.List', by: 'model', shownBy: 'prices list' },
  guardrail: { list: 'Guardrails.List', by: 'name', shownBy: 'guardrails list' },
  webhook: { list: 'Webhooks.List', by: 'name', shownBy: 'webhooks list' },
  'service account': { list: 'ServiceAccounts.List', by: 'name', shownBy: 'service-accounts list' },
  domain: { list: 'SignIn.ListDomains', by: 'domain', shownBy: 'domains list' },
  issuer: { list: 'SignIn.ListIssuers', by: 'name', shownBy: 'issuers list' },
  budget: {
    ...{ list: 'Limits.List', by: 'subjectName', shownBy: 'budgets list' },
    isOne: ({ kind }: JsonObject) => kind === 'LIMIT_KIND_BUDGET',
  },
  'proxy token': { list: 'ProxyTokens.List', by: 'name', shownBy: 'proxy-tokens list' },
} as const satisfies Record<string, Naming>;

export type Noun = keyof typeof namings;

export function isNamedInOrganization(noun: Noun): boolean {
  return noun !== 'organization' && noun !== 'proxy token';
}

/** Stands for the id of the caller. A person with this name must be given by id. */
export const myself = 'me';

export const nouns = Object.keys(namings) as readonly Noun[];

/** The names of objects that can be used, of one page. @throws CallFailure */
export async function namesOf(
  noun: Noun,
  client: Client,
  organizationId: string | undefined,
): Promise<readonly string[]> {
  const { list, by, isOne = () => true }: Naming = namings[noun];
  const within = isNamedInOrganization(noun) && organizationId !== undefined ? { organizationId } : {};
  const { items } = await readPages(client, list, within, namesMax);
  return items
    .filter(isOne)
    .map((item) => String(item[by] ?? ''))
    .filter(Boolean);
}

const namesMax = 500;

/** @throws Failure if the name matches no object or several */
export async function idOf(
  noun: Noun,
  text: string,
  client: Client,
  organizationId: () => Promise<string | undefined>,
): Promise<string> {
  if (isUuid(text)) return text;
  const { list, by, shownBy, query, isOne = () => true }: Naming = namings[noun];
  const within = isNamedInOrganization(noun) ? await organizationId() : undefined;
  const own = noun === 'person' ? await ownId(text, client, within) : undefined;
  if (own !== undefined) return own;
  const request = { ...query, ...(within !== undefined && { organizationId: within }) };
  const { items } = await readPages(client, list, request, Number.POSITIVE_INFINITY);
  // A price's name is its model, and a route may have a model's name, with the canonical name of the provider.
  const name = noun === 'price' || noun === 'route' ? withCanonicalProvider(text) : text;
  const named = items.filter((item) => isOne(item) && item[by] === name);
  const inForce = named.filter(({ revokedAt }) => typeof revokedAt !== 'string');
  const found = inForce.length > 0 ? inForce : named;
  const [only] = found;
  if (only === undefined)
    throw usageMistake(`there is no ${noun} "${text}"; gatewayctl ${shownBy} shows those there are`);
  if (found.length > 1)
    throw usageMistake(`"${text}" is the ${by} of ${found.length}; give an id: ${found.map(id).join(', ')}`);
  return id(only);
}

/**
 * The id of the caller, if the text means the caller.
 * @throws Failure for a member who names another person, because members cannot look up people
 */
async function ownId(text: string, client: Client, within: string | undefined): Promise<string | undefined> {
  const caller = await callerOf(client);
  if (caller === null) return undefined;
  const { personId, name, role, organizationId } = caller;
  if (text === myself || (text === name && organizationId === within)) return personId;
  if (role !== 'ROLE_MEMBER') return undefined;
  throw usageMistake(`a member has to do with themself only: you are "${name}", or ${myself}`);
}

function withCanonicalProvider(model: string): string {
  const slash = model.indexOf('/');
  const provider = slash === -1 ? undefined : canonicalVendorName(model.slice(0, slash));
  return provider === undefined ? model : provider + model.slice(slash);
}

function id(item: JsonObject): string {
  return String(item.id);
}

const callers = new WeakMap<Client, Promise<StatusCaller | null>>();

/**
 * The caller as reported by the server; requested once per connection. Null if the server does not report it.
 * @throws CallFailure
 */
export function callerOf(client: Client): Promise<StatusCaller | null> {
  const known = callers.get(client);
  if (known !== undefined) return known;
  const pending = client.call('Status.Get', {}).then(({ caller }) => caller);
  callers.set(client, pending);
  return pending;
}
