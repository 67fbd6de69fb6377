// The models that a caller may call, and suggestions for a misspelled name. An allow-list knows a model by all of its
// names.
import { chatModels } from '../../catalog/model-names.ts';
import { allowsModel } from '../../catalog/model-selector.ts';
import { nearestModels } from '../../catalog/nearest-models.ts';
import type { Caller } from '../access/authenticator.ts';
import type { OrganizationRecord, Principal, Stop } from '../access/principal.ts';
import { type StoppableModel, stopOfModel, stoppedError } from '../access/stops.ts';
import { type CatalogModel, listModels } from '../catalog/models.ts';
import type { Provider } from '../providers/provider.ts';
import type { CustomProviders } from '../upstream/custom-providers.ts';

export interface CallableDeps {
  /** By canonical name or alias. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly customProviders: CustomProviders;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Whether every level of the caller, of both keys if two were sent, allows the model.
 * @param model its canonical name
 */
export function mayCall({ principal, project }: Caller, model: string): boolean {
  return allows(principal, model) && (project === undefined || allows(project, model));
}

function allows({ organization, scope, key }: Principal, model: string): boolean {
  return (
    allowsModel(organization.allowedModels, model) &&
    allowsModel(scope?.allowedModels ?? [], model) &&
    allowsModel(key.allowedModels, model)
  );
}

/**
 * What stops the caller's requests for a model now.
 * @param at name of its provider, and the model's canonical name
 */
export function modelStop(
  { principal }: Caller,
  at: StoppableModel,
  deps: Pick<CallableDeps, 'now'>,
): Stop | undefined {
  return stopOfModel(principal, at, deps.now());
}

/** @throws GatewayError stopped_by_operator */
export function expectNotStopped(caller: Caller, at: StoppableModel, deps: Pick<CallableDeps, 'now'>): void {
  const stop = modelStop(caller, at, deps);
  if (stop !== undefined) throw stoppedError(stop);
}

/**
 * All rows of the catalog and of custom providers' lists that the caller may call, including synonyms with a row of
 * their own. Stopped ones are left out.
 */
export function callableModels(caller: Caller, deps: CallableDeps): readonly CatalogModel[] {
  const isConfigured = configuredProviders(caller, deps);
  const shipped = listModels().filter((model) => model.chat && isConfigured(model.provider));
  return [...shipped, ...customModels(caller, deps)].filter(
    (model) => mayCall(caller, nameOf(model)) && !isStopped(caller, model, deps),
  );
}

/** Canonical names similar to the requested one, of models that the caller may call. */
export function nearestCallable(requested: string, caller: Caller, deps: CallableDeps): readonly string[] {
  const isConfigured = configuredProviders(caller, deps);
  const shipped = chatModels().filter((name) => isConfigured(name.slice(0, name.indexOf('/'))));
  const known = [...shipped, ...customModels(caller, deps).map(nameOf)];
  return nearestModels(requested, known, (name) => mayCall(caller, name));
}

function customModels(caller: Caller, { customProviders }: CallableDeps): readonly CatalogModel[] {
  const { organization } = caller.principal;
  const configured = providersWithKeys(organization);
  return [...customProviders.of(organization).values()].flatMap(({ provider, models }) =>
    provider.keylessId !== undefined || organization.callerProviderKeys || configured.has(provider.name)
      ? [...models.values()]
      : [],
  );
}

function configuredProviders({ principal }: Caller, { providers }: CallableDeps): (name: string) => boolean {
  const { organization } = principal;
  const configured = providersWithKeys(organization);
  return (name) => providers.has(name) && (organization.callerProviderKeys || configured.has(name));
}

function isStopped(caller: Caller, model: CatalogModel, deps: CallableDeps): boolean {
  return modelStop(caller, { provider: model.provider, model: nameOf(model) }, deps) !== undefined;
}

/** The providers for which the organization stores a key. */
export function providersWithKeys({ providerKeys }: OrganizationRecord): ReadonlySet<string> {
  return new Set(providerKeys.map((key) => key.provider));
}

export function nameOf(model: CatalogModel): string {
  return `${model.provider}/${model.name}`;
}
