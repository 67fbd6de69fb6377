// A model at a provider, with what the catalog or the custom provider's list says of it.
import { canonicalModel, namesOfModel } from '../../catalog/model-names.ts';
import { isSlip, isSlipOf } from '../../catalog/nearest-models.ts';
import type { Caller } from '../access/authenticator.ts';
import type { CallTarget, UnknownModel } from '../call.ts';
import type { CapabilityTable } from '../catalog/capabilities.ts';
import { type CatalogModel, findModel } from '../catalog/models.ts';
import { type CallableDeps, nearestCallable } from './callable-models.ts';
import type { ResolvedModel } from './resolve-model.ts';

export interface CallTargetDeps extends CallableDeps {
  readonly capabilities: CapabilityTable;
}

export type CalledModel = Omit<CallTarget, 'targets'>;

export function calledModelOf(deps: CallTargetDeps, caller: Caller, resolved: ResolvedModel): CalledModel {
  const { provider, model, custom } = resolved;
  const qualifiedModel = canonicalModel(`${provider.name}/${model}`);
  const catalogModel = custom === undefined ? inCatalog(qualifiedModel) : custom.models.get(model);
  const unknownModel = catalogModel === undefined ? unknown(deps, caller, resolved) : undefined;
  const capabilities = custom === undefined ? deps.capabilities.of(provider.name, model) : custom.capabilitiesOf(model);
  return { provider, model, qualifiedModel, catalogModel, unknownModel, capabilities };
}

/** Looks up the first of the model's names that has a row. */
function inCatalog(qualifiedModel: string): CatalogModel | undefined {
  for (const name of namesOfModel(qualifiedModel)) {
    const slash = name.indexOf('/');
    const found = findModel(name.slice(0, slash), name.slice(slash + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function unknown(deps: CallTargetDeps, caller: Caller, { provider, model, custom }: ResolvedModel): UnknownModel {
  const name = `${provider.name}/${model}`;
  return {
    get isSlip() {
      return custom === undefined ? isSlip(name) : isSlipOf(model, custom.models.keys());
    },
    nearest: () => nearestCallable(name, caller, deps),
  };
}
