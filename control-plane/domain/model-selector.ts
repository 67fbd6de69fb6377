// Selectors of models as operators write them. They are converted to canonical names and compared with the known
// models. A selector that matches no known model is refused: a limit with it would never apply, an allow-list with it
// would allow nothing, and neither would show. No problem repeats the submitted text.
import { chatModels, isInCatalog, openNames } from '../../catalog/model-names.ts';
import { canonicalSelector, isGlob, isShadow, selectsModel, storedSelector } from '../../catalog/model-selector.ts';
import { nearestModels } from '../../catalog/nearest-models.ts';
import type { ModelMatch } from '../../proto/generated/gateway/v1/ModelMatch.ts';
import type { StoredProblem } from '../../proto/words/access.ts';
import { type Field, invalid, type Problem, problemsAt, valid } from './field.ts';
import { modelGlob, modelGlobs } from './shared-fields.ts';

/** The models that an organization's selectors are compared with. */
export interface KnownModels {
  /** Canonical names, `<provider>/<model>`. */
  readonly names: readonly string[];
  /** Prefixes whose names cannot be listed. */
  readonly open: readonly string[];
}

/** @param custom the custom providers that the organization may call, with the models in their lists */
export function knownModels(
  custom: readonly { readonly name: string; readonly models: readonly { readonly name: string }[] }[],
): KnownModels {
  return {
    names: [...chatModels(), ...custom.flatMap(({ name, models }) => models.map((model) => `${name}/${model.name}`))],
    open: [...openNames, ...custom.flatMap(({ name, models }) => (models.length === 0 ? [`${name}/`] : []))],
  };
}

export interface WrittenSelector {
  /** With the canonical name of the provider. A model's synonym stays, because it may later name another model. */
  readonly stored: string;
  readonly match: ModelMatch;
}

/** @param insists accepts a selector that matches no known model */
export function modelSelector(known: KnownModels, insists: boolean): (text: string) => Field<WrittenSelector> {
  return (text) => {
    const read = modelGlob(text);
    if ('problems' in read) return read;
    const stored = storedSelector(text);
    const match = matchOf(stored, known);
    const problem = problemOf(stored, match, known);
    if (problem === undefined || (insists && problem !== 'no_provider' && problem !== 'shadow'))
      return valid({ stored, match });
    return invalid(descriptions[problem](match, stored));
  };
}

/** As modelSelector, for prices: a route has none, its targets have. */
export function pricedSelector(known: KnownModels, insists: boolean): (text: string) => Field<WrittenSelector> {
  const read = modelSelector(known, insists);
  return (text) => (isRoute(text) ? invalid('is a route, which has no price: its targets have') : read(text));
}

/** As modelSelector, also for the copies of requests that routes send to other models. */
export function spentSelector(known: KnownModels, insists: boolean): (text: string) => Field<WrittenSelector> {
  const read = modelSelector(known, insists);
  return (text) => {
    if (!isShadow(text)) return read(text);
    if (!shadowForm.test(text)) return invalid('must be shadow/<route>, with the name of a route, or a glob over it');
    return valid({ stored: text, match: { ...matchOf(text, known), nearest: [] } });
  };
}

/** A route's name has at most one slash, and never begins with `route/`. */
const shadowForm = /^shadow\/(?!route\/)[A-Za-z0-9*][A-Za-z0-9._:@/+*-]{0,300}$/;

/** Allow-lists and limits name routes as callers do. */
export function isRoute(selector: string): boolean {
  return selector.startsWith('route/');
}

/** Without repetitions, including repetitions under another name. An empty list allows all models. */
export function modelSelectors(
  known: KnownModels,
  insists: boolean,
): (list: { readonly globs: readonly string[] }) => Field<readonly WrittenSelector[]> {
  const read = modelSelector(known, insists);
  return (list) => {
    const wellFormed = modelGlobs(list);
    if ('problems' in wellFormed) return wellFormed;
    const problems: Problem[] = [];
    const written = new Map<string, WrittenSelector>();
    for (const [index, glob] of list.globs.entries()) {
      const field = read(glob);
      if ('value' in field) {
        const name = canonicalSelector(glob);
        if (!written.has(name)) written.set(name, field.value);
      } else problems.push(...problemsAt(`.globs[${index}]`, field));
    }
    return problems.length > 0 ? { problems } : valid([...written.values()]);
  };
}

const listedMax = 20;

export function matchOf(stored: string, known: KnownModels): ModelMatch {
  const selector = canonicalSelector(stored);
  const matched = known.names.filter((name) => selectsModel(selector, name));
  return {
    selector,
    matched: matched.length,
    known: known.names.length,
    models: matched.slice(0, listedMax),
    open: known.open.some((beginning) => mayBeginWith(selector, beginning)),
    nearest: matched.length > 0 ? [] : [...nearestModels(stored, known.names)],
  };
}

export type SelectorProblem = 'no_provider' | 'no_chat' | 'unmatched' | 'shadow';

/**
 * @returns undefined if the selector matches a model, names a route, or begins with an open prefix: an operator who
 * writes `studio-ai/…` knows those names
 */
export function problemOf(
  stored: string,
  { matched = 0 }: Pick<ModelMatch, 'matched'>,
  { open }: KnownModels,
): SelectorProblem | undefined {
  if (matched > 0 || isRoute(stored)) return undefined;
  if (isShadow(stored)) return 'shadow';
  if (!stored.includes('/') && !isGlob(stored)) return 'no_provider';
  if (open.some((beginning) => stored.startsWith(beginning))) return undefined;
  return !isGlob(stored) && isInCatalog(stored) ? 'no_chat' : 'unmatched';
}

/**
 * The problem of a stored selector. `alias`: none any more, but the selector matched nothing before aliases were
 * understood.
 * @param stored the selector in the row, perhaps years old
 */
export function storedProblemOf(stored: string, known: KnownModels): StoredProblem | undefined {
  const selector = canonicalSelector(stored);
  const matched = known.names.some((name) => selectsModel(selector, name)) ? 1 : 0;
  const problem = problemOf(storedSelector(stored), { matched }, known);
  if (problem === 'no_provider') return problem;
  if (problem === 'shadow') return undefined;
  if (problem !== undefined) return 'unmatched';
  return storedSelector(stored) === stored ? undefined : 'alias';
}

const insist = 'set allow_unmatched to take it all the same';

const descriptions: Readonly<Record<SelectorProblem, (match: ModelMatch, stored: string) => string>> = {
  no_provider: ({ nearest = [] }) =>
    `names no provider, so it can select nothing; write ${nearest.length > 0 ? nearest.join(' or ') : '<provider>/<model>'}`,
  shadow: () => "is for a route's copies of requests, which only budgets and totals of usage name",
  no_chat: () => `is not a model for chat completions, and the gateway serves no others; ${insist}`,
  unmatched: ({ known = 0, nearest = [] }) =>
    `selects none of the ${known} known models${nearest.length > 0 ? `, of which the nearest are ${nearest.join(', ')}` : ''}; ${insist}`,
};

/** Whether a text that the selector matches can begin with this prefix. */
export function mayBeginWith(selector: string, beginning: string): boolean {
  const fixed = selector.split('*', 1)[0] ?? '';
  return fixed.startsWith(beginning) || (isGlob(selector) && beginning.startsWith(fixed));
}
