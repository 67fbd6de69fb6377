// GET /v1/models and /v1/models/{id}: the models that this key may call, from the catalog and the organization's custom
// providers.
import { canonicalModel } from '../../catalog/model-names.ts';
import { storedSelector } from '../../catalog/model-selector.ts';
import { withoutKeyForms } from '../../common/key-forms.ts';
import { isModelName } from '../../common/model-facts.ts';
import type { Caller } from '../access/authenticator.ts';
import type { CatalogModel } from '../catalog/models.ts';
import { GatewayError } from '../errors.ts';
import { nearestWords } from '../unknown-model.ts';
import { type CallableDeps, callableModels, nameOf, nearestCallable } from './callable-models.ts';

/** SDK type `Model` of the package openai. */
interface ModelEntry {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

export function modelList(caller: Caller, deps: CallableDeps): { object: 'list'; data: readonly ModelEntry[] } {
  return { object: 'list', data: callableModels(caller, deps).map(entry) };
}

/** @throws GatewayError model_not_found */
export function oneModel(caller: Caller, deps: CallableDeps, id: string): ModelEntry {
  const requested = storedSelector(id);
  const models = callableModels(caller, deps);
  const named = (name: string) => models.find((model) => nameOf(model) === name);
  const found = named(requested) ?? named(canonicalModel(requested));
  if (found !== undefined) return entry(found);
  // Text that is no model name is not repeated, because it can be anything.
  const what = isModelName(id) ? `no such model: ${withoutKeyForms(id)}` : 'no such model';
  const near = nearestCallable(id, caller, deps);
  throw new GatewayError('model_not_found', { message: `${what}; ${nearestWords(near)}` });
}

function entry(model: CatalogModel): ModelEntry {
  return { id: nameOf(model), object: 'model', created: model.created, owned_by: model.provider };
}
