// Which provider serves the model that a request names. A name with a provider in front says it; a bare name, as
// applications send that were written for one vendor, belongs to the first provider of a fixed order that can have it.
import { isInCatalog, modelMeant } from '../../catalog/model-names.ts';
import { withoutKeyForms } from '../../common/key-forms.ts';
import { isModelName } from '../../common/model-facts.ts';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import type { Caller } from '../access/authenticator.ts';
import type { Route } from '../access/routes.ts';
import { GatewayError } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import { didYouMean, nearestWords } from '../unknown-model.ts';
import type { CustomProvider } from '../upstream/custom-providers.ts';
import { type CallableDeps, nearestCallable, providersWithKeys } from './callable-models.ts';

export interface ResolvedModel {
  readonly provider: Provider;
  /** The vendor's name of the model. */
  readonly model: string;
  /** Set if the provider is a custom one. */
  readonly custom: CustomProvider | undefined;
}

export interface NamedModel {
  readonly caller: Caller;
  /** As the client sent it. */
  readonly sent: string;
  /** The vendor whose clients use this route. */
  readonly home: VendorName;
  /** Whether the client speaks chat completions. */
  readonly isChat: boolean;
}

/**
 * `<provider>/<model>` is that provider's; then come the organization's aliases. Any other name belongs to the home vendor, if the organization can call it
 * and it lists the model or no other provider does; else to the first provider that lists it, in the order of
 * `bareNameOrder`, then custom providers by name.
 * @throws GatewayError model_not_found, invalid_request
 */
export function resolveModel(deps: CallableDeps, named: NamedModel): ResolvedModel {
  const { caller, sent } = named;
  const slash = sent.indexOf('/');
  const hasProvider = slash > 0 && slash < sent.length - 1;
  const resolved =
    (hasProvider ? withProvider(deps, caller, sent) : undefined) ?? aliasedModel(deps, named) ?? bareModel(deps, named);
  if (resolved !== undefined) return resolved;
  const near = nearestCallable(sent, caller, deps);
  if (hasProvider) {
    throw new GatewayError('model_not_found', {
      param: 'model',
      message: `no such provider in front of the model name; ${nearestWords(near)}`,
    });
  }
  throw named.isChat ? bareNameInChat(near) : bareNameNotFound(sent, near);
}

const routePrefix = 'route/';

/**
 * The route that a name means: `route/<name>`, or `<name>` unless an alias has it. Undefined: the name is a model's.
 * @throws GatewayError model_not_found; invalid_request with the caller's own key, which is for one target
 */
export function namedRoute({ principal, direct }: Caller, sent: string): Route | undefined {
  const { routes, modelAliases } = principal.organization;
  const isPrefixed = sent.startsWith(routePrefix);
  if (!isPrefixed && (routes.size === 0 || sent.includes('/'))) return undefined;
  if (!isPrefixed && modelAliases.some(({ name }) => name === sent)) return undefined;
  const name = isPrefixed ? sent.slice(routePrefix.length) : sent;
  const route = name.includes('/') ? undefined : routes.get(name);
  if (route === undefined && isPrefixed) throw routeNotFound();
  if (route !== undefined && direct) throw routeOfDirect();
  return route;
}

/** The name in allow-lists and selectors of limits. */
export function calledName(route: Pick<Route, 'name'>): string {
  return `${routePrefix}${route.name}`;
}

/** The route that replaces a model. @param model its canonical name */
export function replacingRoute({ principal, direct }: Caller, model: string): Route | undefined {
  const { routes } = principal.organization;
  return direct || routes.size === 0 ? undefined : routes.get(modelMeant(model));
}

function routeNotFound(): GatewayError {
  return new GatewayError('model_not_found', {
    param: 'model',
    message: 'the organization has no such route; GET /v1/models lists what this key may call',
  });
}

function routeOfDirect(): GatewayError {
  return new GatewayError('invalid_request', {
    param: 'model',
    message: "a route has several targets, and the caller's own key is for one provider; name the model itself",
  });
}

/** The specification's refusal. */
function bareNameInChat(near: readonly string[]): GatewayError {
  return new GatewayError('invalid_request', {
    param: 'model',
    message: 'model must be <provider>/<model_name>, for example gpt-provider/gpt-4o-mini',
    hint: didYouMean(near),
  });
}

/**
 * What a vendor's own client expects of a model that does not exist. The name is not repeated, because callers put keys
 * into this field by mistake.
 * @throws GatewayError invalid_request if no model can have this name
 */
function bareNameNotFound(sent: string, near: readonly string[]): GatewayError {
  checkedModelName(sent);
  return new GatewayError('model_not_found', {
    param: 'model',
    message: `no provider of the organization lists this model; ${nearestWords(near)}`,
  });
}

/** @throws GatewayError invalid_request */
export function checkedModelName(name: string): string {
  if (isModelName(name)) return name;
  throw new GatewayError('invalid_request', {
    param: 'model',
    message: 'the model name contains characters that no model name has',
  });
}

/** @param name `<provider>/<model>`, whose form was checked @returns undefined if there is no such provider */
export function modelWithProvider(deps: CallableDeps, caller: Caller, name: string): ResolvedModel | undefined {
  const slash = name.indexOf('/');
  const provider = name.slice(0, slash);
  const model = name.slice(slash + 1);
  const shipped = deps.providers.get(provider);
  if (shipped !== undefined) return { provider: shipped, model, custom: undefined };
  const custom = deps.customProviders.of(caller.principal.organization).get(provider);
  return custom && { provider: custom.provider, model, custom };
}

/** @throws GatewayError invalid_request */
function withProvider(deps: CallableDeps, caller: Caller, name: string): ResolvedModel | undefined {
  const resolved = modelWithProvider(deps, caller, name);
  if (resolved !== undefined) checkedModelName(resolved.model);
  return resolved;
}

/**
 * The model of one of the organization's own names.
 * @throws GatewayError invalid_request if the caller's own key would go to another vendor than the home of the route
 */
function aliasedModel(deps: CallableDeps, { caller, sent, home }: NamedModel): ResolvedModel | undefined {
  const alias = caller.principal.organization.modelAliases.find(({ name }) => name === sent);
  if (alias === undefined) return undefined;
  const resolved = withProvider(deps, caller, alias.model);
  if (caller.direct && resolved?.provider.name !== home) {
    throw new GatewayError('invalid_request', {
      param: 'model',
      message: "this alias is a model of another provider than the caller's key; name the model itself",
    });
  }
  return resolved;
}

/** Providers that serve their own models come before those that resell them. */
const bareNameRanks: Readonly<Record<VendorName, number>> = {
  'gpt-provider': 1,
  'assistant-provider': 2,
  'search-provider': 3,
  'studio-ai': 4,
  'managed-cloud-models': 5,
};
const bareNameOrder = vendorNames.toSorted((a, b) => bareNameRanks[a] - bareNameRanks[b]);

function bareModel(deps: CallableDeps, { caller, sent, home }: NamedModel): ResolvedModel | undefined {
  if (!isModelName(sent)) return undefined;
  const candidates = caller.direct ? [shippedBy(deps, home)] : callable(deps, caller, home);
  const listing = candidates.find(({ provider, custom }) =>
    custom === undefined ? isInCatalog(`${provider.name}/${sent}`) : custom.models.has(sent),
  );
  const chosen =
    listing ??
    (canBeNew(sent) || isArn(sent, home) ? candidates.find(({ provider }) => provider.name === home) : undefined);
  return chosen && { ...chosen, model: sent };
}

/**
 * Whether a name that nobody lists may be a model that is newer than the catalog. A name with a slash is more likely a
 * slip in the provider's name. Callers put keys into this field by mistake, and a key would go to the vendor and into
 * the log; names of models have no such long run of letters and digits.
 */
function canBeNew(name: string): boolean {
  return !name.includes('/') && withoutKeyForms(name) === name && !/[A-Za-z0-9]{24}/.test(name);
}

/** The name of something in the caller's own account: its form has a slash. */
function isArn(name: string, home: VendorName): boolean {
  return home === 'managed-cloud-models' && name.startsWith('arn:') && withoutKeyForms(name) === name;
}

type Candidate = Omit<ResolvedModel, 'model'>;

/** The providers for which the organization has a key, or that need none; the home vendor first. */
function callable(deps: CallableDeps, { principal }: Caller, home: VendorName): readonly Candidate[] {
  const { organization } = principal;
  const configured = providersWithKeys(organization);
  const shipped = [home, ...bareNameOrder].filter((name) => configured.has(name));
  const customs = [...deps.customProviders.of(organization).values()]
    .filter(({ provider }) => provider.keylessId !== undefined || configured.has(provider.name))
    .toSorted((a, b) => (a.provider.name < b.provider.name ? -1 : 1));
  return [
    ...shipped.map((name) => shippedBy(deps, name)),
    ...customs.map((custom) => ({ provider: custom.provider, custom })),
  ];
}

function shippedBy({ providers }: CallableDeps, name: VendorName): Candidate {
  const provider = providers.get(name);
  if (provider === undefined) throw new Error(`there is no provider ${name}`);
  return { provider, custom: undefined };
}
