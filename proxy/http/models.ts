// GET /v1/models and /v1/models/{id}: what this key may call, from the catalog and the organization's custom providers.

import type { Caller } from '../access/authenticator.ts';
import { type CatalogModel, listModels } from '../catalog/models.ts';
import { GatewayError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import type { CustomProviders } from '../upstream/custom-providers.ts';
import { mayCall } from './authorize.ts';

/** SDK type `Model` of the package openai. */
interface ModelEntry {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

export interface ModelsDeps {
  /** By canonical name or alias. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly customProviders: CustomProviders;
}

export function modelList(caller: Caller, deps: ModelsDeps): { object: 'list'; data: readonly ModelEntry[] } {
  return { object: 'list', data: callable(caller, deps).map(entry) };
}

/** @throws GatewayError model_not_found */
export function oneModel(caller: Caller, deps: ModelsDeps, id: string): ModelEntry {
  const slash = Math.max(id.indexOf('/'), 0);
  const name = id.slice(0, slash);
  const wanted = `${deps.providers.get(name)?.name ?? name}${id.slice(slash)}`;
  const found = callable(caller, deps).find((model) => qualified(model) === wanted);
  if (found === undefined) throw new GatewayError('model_not_found');
  return entry(found);
}

function callable(caller: Caller, deps: ModelsDeps): readonly CatalogModel[] {
  const { organization } = caller.principal;
  const configured = new Set(organization.providerKeys.map((key) => key.provider));
  const isConfigured = (name: string) => organization.callerProviderKeys || configured.has(name);
  const shipped = listModels().filter(
    (model) => model.chat && deps.providers.has(model.provider) && isConfigured(model.provider),
  );
  const custom = [...deps.customProviders.of(organization).values()].flatMap(({ provider, models }) =>
    provider.keylessId !== undefined || isConfigured(provider.name) ? [...models.values()] : [],
  );
  return [...shipped, ...custom].filter((model) => mayCall(caller, qualified(model)));
}

function qualified(model: CatalogModel): string {
  return `${model.provider}/${model.name}`;
}

function entry(model: CatalogModel): ModelEntry {
  return { id: qualified(model), object: 'model', created: model.created, owned_by: model.provider };
}
