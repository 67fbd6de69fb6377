// Selectors of models, as operators write them: folded into canonical names, held against the models that are known, and refused where
// they select none of them, because a limit that never applies is open and a list that lets nothing through is closed, and neither
// says so. No problem repeats what was sent.
import { chatModels, isInCatalog, openNames } from '../../catalog/model-names.ts';
import { canonicalSelector, isGlob, selectsModel, storedSelector } from '../../catalog/model-selector.ts';
import { nearestModels } from '../../catalog/nearest-models.ts';
import type { ModelMatch } from '../../proto/generated/gateway/v1/ModelMatch.ts';
import type { StoredProblem } from '../../proto/words/access.ts';
import { type Field, invalid, type Problem, problemsAt, valid } from './field.ts';
import { modelGlob, modelGlobs } from './shared-fields.ts';

/** What selectors are held against: of one organization. */
export interface KnownModels {
  /** `<provider>/<model>`, canonical. */
  readonly names: readonly string[];
  /** Beginnings of names that nobody can list. */
  readonly open: readonly string[];
}

/** @param custom the custom providers that the organization may call, with the models in their lists */
export function knownModels(
  custom: readonly { readonly name: string; readonly models: readonly { readonly name: string }[] }[],
): KnownModels {
  return {
    names: [
      ...chatModels(),
      ...custom.flatMap(({ name, models }) => models.map((model) => `${name}/${model.name}`)),
    ],
    open: [...openNames, ...custom.flatMap(({ name, models }) => (models.length === 0 ? [`${name}/`] : []))],
  };
}

export interface WrittenSelector {
  /** With the canonical name of the provider; a model's synonym stays, for it may come to stand for another model. */
  readonly stored: string;
  readonly match: ModelMatch;
}

/** @param insists take it where it selects nothing that is known */
export function modelSelector(
  known: KnownModels,
  insists: boolean,
): (text: string) => Field<WrittenSelector> {
  return (text) => {
    const read = modelGlob(text);
    if ('problems' in read) return read;
    const stored = storedSelector(text);
    const match = matchOf(stored, known);
    const problem = problemOf(stored, match, known);
    if (problem === undefined || (insists && problem !== 'no_provider')) return valid({ stored, match });
    return invalid(descriptions[problem](match, stored));
  };
}

/** Without repetitions, also those under another name; an empty list allows all. */
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

export type SelectorProblem = 'no_provider' | 'no_chat' | 'unmatched';

/** @returns undefined where it selects something, or is of names that nobody can list: whoever writes `studio-ai/…` knows them */
export function problemOf(
  stored: string,
  { matched = 0 }: Pick<ModelMatch, 'matched'>,
  { open }: KnownModels,
): SelectorProblem | undefined {
  if (matched > 0) return undefined;
  if (!stored.includes('/') && !isGlob(stored)) return 'no_provider';
  if (open.some((beginning) => stored.startsWith(beginning))) return undefined;
  return !isGlob(stored) && isInCatalog(stored) ? 'no_chat' : 'unmatched';
}

/**
 * What is wrong with a selector that is stored. `alias`: nothing any more; until aliases were understood it selected nothing.
 * @param stored as it is in the row, perhaps for years
 */
export function storedProblemOf(stored: string, known: KnownModels): StoredProblem | undefined {
  const selector = canonicalSelector(stored);
  const matched = known.names.some((name) => selectsModel(selector, name)) ? 1 : 0;
  const problem = problemOf(storedSelector(stored), { matched }, known);
  if (problem === 'no_provider') return problem;
  if (problem !== undefined) return 'unmatched';
  return storedSelector(stored) === stored ? undefined : 'alias';
}

const insist = 'set allow_unmatched to take it all the same';

const descriptions: Readonly<Record<SelectorProblem, (match: ModelMatch, stored: string) => string>> = {
  no_provider: ({ nearest = [] }) =>
    `names no provider, so it can select nothing; write ${nearest.length > 0 ? nearest.join(' or ') : '<provider>/<model>'}`,
  no_chat: () => `is a model that answers no chat completions, and nothing else is served; ${insist}`,
  unmatched: ({ known = 0, nearest = [] }) =>
    `selects none of the ${known} known models${nearest.length > 0 ? `, of which the nearest are ${nearest.join(', ')}` : ''}; ${insist}`,
};

/** Whether a text that the selector matches can begin so. */
function mayBeginWith(selector: string, beginning: string): boolean {
  const fixed = selector.split('*', 1)[0] ?? '';
  return fixed.startsWith(beginning) || (isGlob(selector) && beginning.startsWith(fixed));
}
