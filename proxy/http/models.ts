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
import { type CallableDeps, callableModels, nameOf, nearestCallable } from './callable-models.ts';

export interface ModelsDeps extends CallableDeps {
  readonly prices: Pick<PriceTable, 'listed'>;
}

export function listedModels(caller: Caller, deps: ModelsDeps): readonly ListedModel[] {
  const models = callableModels(caller, deps);
  const aliases = caller.principal.organization.modelAliases.flatMap((alias) => {
    const aliased = aliasedIn(models, alias.model);
    return aliased === undefined ? [] : [{ ...listed(caller, deps, aliased), id: alias.name }];
  });
  return [...aliases, ...models.map((model) => listed(caller, deps, model))];
}

function aliasedIn(models: readonly CatalogModel[], name: string): CatalogModel | undefined {
  return (
    models.find((model) => nameOf(model) === name) ?? models.find((model) => nameOf(model) === canonicalModel(name))
  );
}

/** @param id any name of the model @throws GatewayError model_not_found */
export function listedModel(caller: Caller, deps: ModelsDeps, id: string): ListedModel {
  const alias = caller.principal.organization.modelAliases.find(({ name }) => name === id);
  const found = aliasedIn(callableModels(caller, deps), alias?.model ?? storedSelector(id));
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
