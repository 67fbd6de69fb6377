// Models.List: the models that an organization may call, with what its settings, keys, stops, routes and prices make of
// them. Computed from the catalog in memory and a few rows, so a page costs no more than the first.
import type { Kysely, Selectable } from 'kysely';
import { catalogInForce } from '../../catalog/in-force.ts';
import { namesOfModel } from '../../catalog/model-names.ts';
import { allowsModel, canonicalSelector, limitsModel } from '../../catalog/model-selector.ts';
import type { ListedModel } from '../../proto/generated/gateway/v1/ListedModel.ts';
import type { ListModelsRequest__Output } from '../../proto/generated/gateway/v1/ListModelsRequest.ts';
import type { ListModelsResponse } from '../../proto/generated/gateway/v1/ListModelsResponse.ts';
import type { ModelHealth } from '../../proto/generated/gateway/v1/ModelHealth.ts';
import type { ProviderModel } from '../../proto/generated/gateway/v1/ProviderModel.ts';
import { optional } from '../domain/field.ts';
import { knownModels } from '../domain/model-selector.ts';
import { visible } from '../domain/shared-fields.ts';
import { checked } from '../rpc/checked.ts';
import { cutPage, pageBy } from '../rpc/page.ts';
import { modelsOf, readCallable } from '../store/provider-rows.ts';
import type { Schema } from '../store/schema.ts';
import { globsOf } from './columns.ts';
import { listOf } from './known-models.ts';
import type { ResponseCall } from './method.ts';
import { type PriceFields, priceFinder } from './model-prices.ts';
import { priceRecords } from './price-rows.ts';
import { groupsOf } from './route-rows.ts';
import { openAt } from './stop-rows.ts';
import { isOut, modelHealth } from './target-health.ts';

const textLengthMax = 200;

export async function list(call: ResponseCall, request: ListModelsRequest__Output): Promise<ListModelsResponse> {
  const { organizationId, callable, unpriced, ejectedOrLimited } = request;
  const { size, after } = pageBy(request, (key) => (key.length > 0 ? key : undefined));
  const { query = '', provider } = checked({
    query: optional((text: string) => visible(text, textLengthMax), request.query || undefined),
    provider: optional((text: string) => visible(text, textLengthMax), request.provider || undefined),
  });
  const known = await readKnown(call, organizationId);
  const wanted = query.toLowerCase();
  const names = known.names.filter(
    (name) =>
      name.toLowerCase().includes(wanted) &&
      (provider === undefined || name.startsWith(`${provider}/`)) &&
      (!callable || isCallable(known.stateOf(name))) &&
      (!unpriced || known.pricesOf(name).prices === undefined) &&
      (!ejectedOrLimited || isOut(known.healthOf(name))),
  );
  const rest = after === undefined ? names : names.filter((name) => name > after);
  const { items, nextPageToken } = cutPage(rest.slice(0, size + 1), size, (name) => name, known.messageOf);
  return { models: items, nextPageToken, count: names.length, catalogAsOf: catalogInForce().asOf };
}

interface ModelState {
  readonly allowed: boolean;
  readonly hasKey: boolean;
  readonly stopped: boolean;
}

function isCallable({ allowed, hasKey, stopped }: ModelState): boolean {
  return allowed && hasKey && !stopped;
}

interface Known {
  /** In their order. */
  readonly names: readonly string[];
  stateOf(name: string): ModelState;
  pricesOf(name: string): PriceFields;
  healthOf(name: string): ModelHealth | undefined;
  messageOf(name: string): ListedModel;
}

async function readKnown(call: ResponseCall, organizationId: string): Promise<Known> {
  const { db, now } = call;
  const custom = await readCallable(db, organizationId);
  const models = new Map(custom.flatMap((row) => modelsOf(row).map((model) => [`${row.name}/${model.name}`, model])));
  const stateOf = await readStates(db, { organizationId, custom, now });
  const find = priceFinder(priceRecords(await readPrices(db, organizationId)), now);
  const routes = await routesByModel(db, organizationId);
  const healthOf = await readHealth(call, organizationId);
  const pricesOf = (name: string) =>
    find({ name, catalogModel: catalogModelOf(name), customPrices: models.get(name)?.prices });
  return {
    names: knownModels(custom.map(listOf)).names.toSorted(),
    stateOf,
    pricesOf,
    healthOf,
    messageOf: (name) => ({
      ...{ name, provider: providerOf(name), custom: models.has(name) },
      ...stateOf(name),
      ...termsOf(name, models.get(name)),
      ...pricesOf(name),
      ...healthFields(healthOf(name)),
      routes: [...(routes.get(name) ?? [])],
      synonyms: namesOfModel(name).filter((other) => other !== name),
    }),
  };
}

async function readHealth({ db, deps }: ResponseCall, organizationId: string) {
  const keys = await db
    .selectFrom('provider_keys')
    .select(['id', 'provider'])
    .where('organization_id', '=', organizationId)
    .execute();
  const providersOfKeys = new Map(keys.map(({ id, provider }) => [id, provider]));
  return modelHealth({ organizationId, watchers: deps.replica.watchers(), providersOfKeys });
}

function healthFields(health: ModelHealth | undefined) {
  return health === undefined ? {} : { health };
}

function providerOf(name: string): string {
  return name.slice(0, name.indexOf('/'));
}

function catalogModelOf(name: string) {
  const provider = providerOf(name);
  return catalogInForce().find(provider, name.slice(provider.length + 1));
}

function termsOf(name: string, model: ProviderModel | undefined) {
  const { maxInputTokens, maxOutputTokens } = model ?? catalogModelOf(name)?.limits ?? {};
  return {
    ...(maxInputTokens !== undefined && { maxInputTokens }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    capabilities: [...(model?.capabilities ?? catalogModelOf(name)?.capabilities ?? [])],
  };
}

interface StateQuestion {
  readonly organizationId: string;
  readonly custom: readonly Selectable<Schema['providers']>[];
  readonly now: number;
}

async function readStates(db: Kysely<Schema>, { organizationId, custom, now }: StateQuestion) {
  const organization = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const withKey = await db
    .selectFrom('provider_keys')
    .select('provider')
    .distinct()
    .where('organization_id', '=', organizationId)
    .where('enabled', '=', 1)
    .execute();
  const stops = await db
    .selectFrom('stops')
    .select(['provider', 'model', 'direct_keys'])
    .where((where) => where.or([where('organization_id', 'is', null), where('organization_id', '=', organizationId)]))
    .where(openAt(now))
    .where('direct_keys', '=', 0)
    .execute();
  const providers = new Set([
    ...withKey.map(({ provider }) => provider),
    ...custom.filter(({ key_form }) => key_form === 'none').map(({ name }) => name),
  ]);
  const globs = globsOf('organizations', organization);
  return (name: string): ModelState => ({
    allowed: allowsModel(globs, name),
    hasKey: organization.caller_provider_keys === 1 || providers.has(providerOf(name)),
    stopped: stops.some(({ provider, model }) =>
      model === null ? provider === providerOf(name) : limitsModel(model, name),
    ),
  });
}

/** Names of the active routes of which a target is the model. */
async function routesByModel(db: Kysely<Schema>, organizationId: string): Promise<ReadonlyMap<string, Set<string>>> {
  const rows = await db
    .selectFrom('routes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .orderBy('id')
    .execute();
  const byModel = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const { targets = [] } of groupsOf(row)) {
      for (const { model = '' } of targets) {
        const name = canonicalSelector(model);
        const names = byModel.get(name) ?? new Set();
        byModel.set(name, names.add(row.name));
      }
    }
  }
  return byModel;
}

/** The organization's own, oldest first. */
function readPrices(db: Kysely<Schema>, organizationId: string) {
  return db.selectFrom('prices').selectAll().where('organization_id', '=', organizationId).orderBy('id').execute();
}
