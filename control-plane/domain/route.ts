// Routes: their names, and their groups of targets. A target is one model of one provider, never another route, so that
// allow-lists, limits and prices have a model to apply to. No problem repeats the submitted text.
import { canonicalSelector, isGlob } from '../../catalog/model-selector.ts';
import { containsCredential } from '../../common/credential.ts';
import { dayMs } from '../../common/durations.ts';
import { isModelName } from '../../common/model-facts.ts';
import { isVendorName } from '../../common/vendors.ts';
import type { RouteConditions, RouteConditions__Output } from '../../proto/generated/gateway/v1/RouteConditions.ts';
import type { RouteGroup, RouteGroup__Output } from '../../proto/generated/gateway/v1/RouteGroup.ts';
import type { RouteShadow, RouteShadow__Output } from '../../proto/generated/gateway/v1/RouteShadow.ts';
import type { RouteTarget, RouteTarget__Output } from '../../proto/generated/gateway/v1/RouteTarget.ts';
import { groupChoices, reasoningEfforts, scopeKinds } from '../../proto/words/access.ts';
import { isReservedName } from './custom-provider.ts';
import { referenceOf, wordOf } from './enum-names.ts';
import { all, each, type Field, invalid, optional, type Problem, valid } from './field.ts';
import { type KnownModels, modelSelector } from './model-selector.ts';
import { id, within } from './shared-fields.ts';

export const groupsMax = 8;
export const targetsMax = 16;
const weightMax = 1000;
const tokensMax = 1_000_000_000;

/** What the models and scopes of a route are compared with. */
export interface RouteRules {
  readonly organizationId: string;
  readonly known: KnownModels;
  /** Accepts models that are not known, of providers that are. */
  readonly insists: boolean;
}

/** Without absent fields, so that equal groups are equal texts. */
export interface WrittenGroup {
  readonly targets: readonly WrittenTarget[];
  readonly conditions?: RouteConditions;
  readonly choice?: ChoiceName;
  readonly inFlightMax?: number;
}

export type WrittenShadow = RouteShadow & Required<Pick<RouteShadow, 'model' | 'percent'>>;

export type WrittenTarget = RouteTarget & Required<Pick<RouteTarget, 'model' | 'weight'>>;

const nameForm = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** A name without a slash, or the canonical name of a model. */
export function routeName(rules: RouteRules): (text: string) => Field<string> {
  return (text) => {
    if (text.startsWith('route/')) return invalid('is the name without route/, which callers may send before it');
    if (text.includes('/')) {
      const model = targetModel(rules)(text);
      return 'value' in model ? valid(canonicalSelector(model.value)) : model;
    }
    if (!nameForm.test(text) || containsCredential(text)) {
      return invalid(
        'must be 1 to 64 of a-z 0-9 . _ -, beginning with a letter or digit; or the <provider>/<model> that the route replaces',
      );
    }
    return isReservedName(text) ? invalid('is reserved: the gateway itself uses this name') : valid(text);
  };
}

export function routeGroups(rules: RouteRules) {
  const read = (group: RouteGroup__Output) =>
    all({
      '.targets': routeTargets(rules)(group.targets),
      '.conditions': routeConditions(rules)(group.conditions),
      '.choice': groupChoice(group.choice),
      '.in_flight_max': inFlightCeiling(group.inFlightMax),
    });
  return (groups: readonly RouteGroup__Output[]): Field<readonly WrittenGroup[]> => {
    if (groups.length < 1 || groups.length > groupsMax) return invalid(`must be 1 to ${groupsMax} groups`);
    const fields = each(read, groups);
    if ('problems' in fields) return fields;
    return valid(
      fields.value.map((group) => ({
        targets: group['.targets'],
        ...present({
          conditions: group['.conditions'],
          choice: group['.choice'],
          inFlightMax: group['.in_flight_max'],
        }),
      })),
    );
  };
}

function routeTargets(rules: RouteRules) {
  const read = routeTarget(rules);
  return (targets: readonly RouteTarget__Output[]): Field<readonly WrittenTarget[]> => {
    if (targets.length < 1 || targets.length > targetsMax) return invalid(`must be 1 to ${targetsMax} targets`);
    const fields = each(read, targets);
    if ('problems' in fields) return fields;
    const seen = new Set<string>();
    const problems: Problem[] = [];
    for (const [index, { model, providerKeyId = '' }] of fields.value.entries()) {
      const same = `${canonicalSelector(model)} ${providerKeyId}`;
      if (seen.has(same)) problems.push({ at: `[${index}]`, description: 'is listed twice in its group' });
      seen.add(same);
    }
    problems.push(...canaryProblems(fields.value));
    return problems.length > 0 ? { problems } : fields;
  };
}

/** Hundredths are added as whole numbers. */
function canaryProblems(targets: readonly WrittenTarget[]): readonly Problem[] {
  const shares = targets.flatMap(({ canary }) => (canary === undefined ? [] : [Math.round(Number(canary) * 100)]));
  if (shares.length === targets.length) {
    return [{ at: '', description: 'must have a target that is no canary' }];
  }
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum > 100_00 ? [{ at: '', description: 'must have canaries for 100 percent at most' }] : [];
}

function routeTarget(rules: RouteRules): (target: RouteTarget__Output) => Field<WrittenTarget> {
  return (target) => {
    const fields = all({
      '.model': targetModel(rules)(target.model),
      '.provider_key_id': optional(id, target.providerKeyId),
      '.weight': optional(within(1, weightMax), target.weight),
      '.max_output_tokens': optional(within(1, tokensMax), target.maxOutputTokens),
      '.reasoning_effort': reasoningEffort(target.reasoningEffort),
      '.first_token_ms': timeLimit(target.firstTokenMs),
      '.between_tokens_ms': timeLimit(target.betweenTokensMs),
      '.whole_ms': timeLimit(target.wholeMs),
      '.connect_ms': timeLimit(target.connectMs),
      '.canary': optional(percent, target.canary),
    });
    if ('problems' in fields) return fields;
    const { value } = fields;
    return valid({
      model: value['.model'],
      weight: value['.weight'] ?? 1,
      ...present({
        providerKeyId: value['.provider_key_id'],
        maxOutputTokens: value['.max_output_tokens'],
        reasoningEffort: value['.reasoning_effort'],
        firstTokenMs: value['.first_token_ms'],
        betweenTokensMs: value['.between_tokens_ms'],
        wholeMs: value['.whole_ms'],
        connectMs: value['.connect_ms'],
        canary: value['.canary'],
      }),
    });
  };
}

/** `<provider>/<model>` of a provider that exists. The name of the model stays, because the provider is sent it. */
function targetModel({ known, insists }: RouteRules): (text: string) => Field<string> {
  const read = modelSelector(known, insists);
  return (text) => {
    if (isGlob(text)) return invalid('must name one model, <provider>/<model>');
    if (text.startsWith('route/')) return invalid('is a route; it must be a model, <provider>/<model>');
    const field = read(text);
    if ('problems' in field) return field;
    const { stored } = field.value;
    if (!isModelName(stored)) return invalid('must name a model, <provider>/<model>, as names of models are written');
    return isOfProvider(stored, known)
      ? valid(stored)
      : invalid('must begin with a provider that the organization may call');
  };
}

function isOfProvider(model: string, { names, open }: KnownModels): boolean {
  const beginning = model.slice(0, model.indexOf('/') + 1);
  if (isVendorName(beginning.slice(0, -1))) return true;
  return open.includes(beginning) || names.some((name) => name.startsWith(beginning));
}

const [percentMin, percentMax] = [0.01, 100];

/** Null for no copies of requests, which a shadow without a model means. */
export function routeShadow(rules: RouteRules): (shadow: RouteShadow__Output) => Field<WrittenShadow | null> {
  return ({ model, providerKeyId, percent }) => {
    if (model === '') return valid(null);
    const fields = all({
      '.model': targetModel(rules)(model),
      '.provider_key_id': optional(id, providerKeyId),
      '.percent':
        percent >= percentMin && percent <= percentMax
          ? valid(percent)
          : invalid(`must be from ${percentMin} to ${percentMax}`),
    });
    if ('problems' in fields) return fields;
    const { '.model': ofModel, '.provider_key_id': ofKey, '.percent': ofRequests } = fields.value;
    return valid({ model: ofModel, percent: ofRequests, ...present({ providerKeyId: ofKey }) });
  };
}

type EffortName = NonNullable<RouteTarget['reasoningEffort']>;

/** The contract's name, because groups are stored as messages. */
function reasoningEffort(name: string | undefined): Field<EffortName | undefined> {
  const read = optional(wordOf(reasoningEfforts), name === 'REASONING_EFFORT_UNSPECIFIED' ? undefined : name);
  if ('problems' in read) return read;
  return valid(read.value && reasoningEfforts.names[read.value]);
}

type ChoiceName = NonNullable<RouteGroup['choice']>;

function groupChoice(name: string | undefined): Field<ChoiceName | undefined> {
  const read = optional(wordOf(groupChoices), name === 'GROUP_CHOICE_UNSPECIFIED' ? undefined : name);
  if ('problems' in read) return read;
  return valid(read.value && groupChoices.names[read.value]);
}

/** With hundredths at most: the double that is nearest to such a number is written like it. */
function percent(value: number): Field<number> {
  const isWritten = value >= 0 && value <= 100 && Math.round(value * 100) / 100 === value;
  return isWritten ? valid(value) : invalid('must be a percentage from 0 to 100, with two decimals at most');
}

/** A target has room for at least so many, however slow it is. 0 means that there is none. */
function inFlightCeiling(requests: number | undefined): Field<number | undefined> {
  return requests === 0 ? valid(undefined) : optional(within(4, 100_000), requests);
}

/** 0 means that there is none. */
function timeLimit(ms: number | undefined): Field<number | undefined> {
  return ms === 0 ? valid(undefined) : optional(within(1, dayMs), ms);
}

/** Undefined if no condition is given. */
function routeConditions({ organizationId }: RouteRules) {
  const scopeOf = referenceOf(scopeKinds)(organizationId);
  return (conditions: RouteConditions__Output | null): Field<RouteConditions | undefined> => {
    if (conditions === null) return valid(undefined);
    const fields = all({
      '.tokens_above': optional(within(0, tokensMax), conditions.tokensAbove),
      '.tag': optional(routeTag, conditions.tag || undefined),
      '.scope': optional(scopeOf, conditions.scope),
    });
    if ('problems' in fields) return fields;
    const { value } = fields;
    const scope = value['.scope'] && { kind: scopeKinds.names[value['.scope'].kind], id: value['.scope'].id };
    const { streamed, hasImages, hasTools } = conditions;
    const given = present({
      ...{ streamed, hasImages, hasTools },
      ...{ tokensAbove: value['.tokens_above'], tag: value['.tag'], scope },
    });
    return valid(Object.keys(given).length === 0 ? undefined : given);
  };
}

function routeTag(text: string): Field<string> {
  return /^[a-z0-9-]{1,32}$/.test(text) && !containsCredential(text)
    ? valid(text)
    : invalid('must be 1 to 32 of a-z 0-9 -');
}

type Present<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** The fields that have a value, in their order. */
function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}

/** A reference of a route to a resource of the organization, and its path in the route. */
export interface RouteReference<Referred> {
  readonly at: string;
  readonly to: Referred;
}

export interface ReferredKey {
  readonly id: string;
  readonly provider: string;
}

/** The provider keys that targets name. */
export function keysOf(
  groups: readonly WrittenGroup[],
  shadow: WrittenShadow | null | undefined,
): readonly RouteReference<ReferredKey>[] {
  const ofGroups = groups.flatMap(({ targets }, group) =>
    targets.flatMap((one, target) => keyOf(`groups[${group}].targets[${target}]`, one)),
  );
  return shadow ? [...ofGroups, ...keyOf('settings.shadow', shadow)] : ofGroups;
}

function keyOf(
  at: string,
  { model, providerKeyId }: Pick<WrittenTarget, 'model' | 'providerKeyId'>,
): readonly RouteReference<ReferredKey>[] {
  if (providerKeyId === undefined) return [];
  return [{ at: `${at}.provider_key_id`, to: { id: providerKeyId, provider: model.slice(0, model.indexOf('/')) } }];
}
