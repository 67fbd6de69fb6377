// GET /v1/models and /v1/models/{id}: what this key may call, from the catalog.

import type { Caller } from '../access/authenticator.ts';
import { type CatalogModel, listModels } from '../catalog/models.ts';
import { GatewayError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import { mayCall } from './authorize.ts';

/** SDK type `Model` of the package openai. */
interface ModelEntry {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

/** By canonical name or alias. */
type Providers = ReadonlyMap<string, Provider>;

export function modelList(
  caller: Caller,
  providers: Providers,
): { object: 'list'; data: readonly ModelEntry[] } {
  return { object: 'list', data: callable(caller, providers).map(entry) };
}

/** @throws GatewayError model_not_found */
export function oneModel(caller: Caller, providers: Providers, id: string): ModelEntry {
  const slash = id.indexOf('/');
  const canonical = providers.get(id.slice(0, Math.max(slash, 0)))?.name;
  const wanted = `${canonical}${id.slice(slash)}`;
  const found = callable(caller, providers).find((model) => qualified(model) === wanted);
  if (found === undefined) throw new GatewayError('model_not_found');
  return entry(found);
}

function callable(caller: Caller, providers: Providers): readonly CatalogModel[] {
  const { organization } = caller.principal;
  const configured = new Set(organization.providerKeys.map((key) => key.provider));
  return listModels().filter(
    (model) =>
      model.chat &&
      providers.has(model.provider) &&
      (organization.callerProviderKeys || configured.has(model.provider)) &&
      mayCall(caller, qualified(model)),
  );
}

function qualified(model: CatalogModel): string {
  return `${model.provider}/${model.name}`;
}

function entry(model: CatalogModel): ModelEntry {
  return { id: qualified(model), object: 'model', created: model.created, owned_by: model.provider };
}
