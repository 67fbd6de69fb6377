// The models that this key may call, from the catalog and the organization's custom providers: facts and prices for the
// list that the client's format writes.
import { canonicalModel } from '../../catalog/model-names.ts';
import { storedSelector } from '../../catalog/model-selector.ts';
import { withoutKeyForms } from '../../common/key-forms.ts';
import { isModelName } from '../../common/model-facts.ts';
import type { Caller } from '../access/authenticator.ts';
import type { CatalogModel } from '../catalog/models.ts';
import { GatewayError } from '../errors.ts';
import type { ListedModel } from '../formats/client-format.ts';
import type { PriceTable } from '../pricing/price-book.ts';
import { nearestWords } from '../unknown-model.ts';
import { type CallableDeps, callableModels, mayCall, nameOf, nearestCallable } from './callable-models.ts';
import { calledName } from './resolve-model.ts';

export interface ModelsDeps extends CallableDeps {
  readonly prices: Pick<PriceTable, 'listed'>;
}

export function listedModels(caller: Caller, deps: ModelsDeps): readonly ListedModel[] {
  const models = callableByName(caller, deps);
  const aliases = caller.principal.organization.modelAliases.flatMap(({ name, model }) => {
    const aliased = models.get(model) ?? models.get(canonicalModel(model));
    return aliased === undefined ? [] : [{ ...listed(caller, deps, aliased), id: name }];
  });
  return [...aliases, ...listedRoutes(caller), ...[...models.values()].map((model) => listed(caller, deps, model))];
}

/**
 * The routes that allow-lists name; a route that replaces a model is listed as the model. Only by their names: reading
 * the targets of thousands of routes would take too long.
 */
function listedRoutes({ principal, project, direct }: Caller): readonly ListedModel[] {
  const { routes } = principal.organization;
  if (direct || routes.size === 0) return [];
  const names = [...routes.names()].filter((name) => !name.includes('/')).map((name) => calledName({ name }));
  return names.filter((name) => mayCall({ principal, project, direct }, name)).map(listedRoute);
}

/** @param id `route/<name>` or `<name>` */
function listedRouteOf(caller: Caller, id: string): ListedModel | undefined {
  const name = id.startsWith('route/') ? id.slice('route/'.length) : id;
  const { routes } = caller.principal.organization;
  if (caller.direct || name.includes('/') || routes.get(name) === undefined) return undefined;
  return mayCall(caller, calledName({ name })) ? listedRoute(calledName({ name })) : undefined;
}

/** What its targets can do is not the same for all of them. */
function listedRoute(id: string): ListedModel {
  const facts: CatalogModel = {
    ...{ provider: 'route', name: id.slice('route/'.length), created: 0, chat: true, capabilities: [] },
    limits: {},
  };
  return { id, facts, prices: undefined };
}

function callableByName(caller: Caller, deps: ModelsDeps): ReadonlyMap<string, CatalogModel> {
  return new Map(callableModels(caller, deps).map((model) => [nameOf(model), model]));
}

/** @param id any name of the model @throws GatewayError model_not_found */
export function listedModel(caller: Caller, deps: ModelsDeps, id: string): ListedModel {
  const alias = caller.principal.organization.modelAliases.find(({ name }) => name === id);
  const models = callableByName(caller, deps);
  const requested = alias?.model ?? storedSelector(id);
  const found = models.get(requested) ?? models.get(canonicalModel(requested));
  const route = alias === undefined ? listedRouteOf(caller, id) : undefined;
  if (route !== undefined) return route;
  if (found !== undefined) return { ...listed(caller, deps, found), ...(alias && { id }) };
  // Text that is no model name is not repeated, because it can be anything.
  const what = isModelName(id) ? `no such model: ${withoutKeyForms(id)}` : 'no such model';
  const near = nearestCallable(id, caller, deps);
  throw new GatewayError('model_not_found', { message: `${what}; ${nearestWords(near)}` });
}

function listed({ principal }: Caller, { prices }: ModelsDeps, facts: CatalogModel): ListedModel {
  const id = nameOf(facts);
  return { id, facts, prices: prices.listed(principal.organization, id, facts) };
}
