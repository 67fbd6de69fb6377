// Which counters of a budget count an event. What the proxy has charged counts; otherwise the event's own attributes
// decide. Pure.
import { type OwnerKind, ownerOfEach, tagOfEach } from '../../common/counter-names.ts';
import { present } from '../usage/names.ts';
import type { BudgetedSource } from '../usage/sources.ts';
import type { Budget } from './budget.ts';
import { budgetOfCounter } from './counters.ts';

/** The tags of a request: values by name, which may be any word. */
export type Tags = Readonly<Record<string, string>>;

interface EventOfBudget {
  readonly tags?: Tags | undefined;
  /** The budgets of the limit that the event was charged to. */
  readonly charged: readonly Budget[];
}

/** @param budget of the event's organization, subject and model, with `counting` */
export function countersOf(
  budget: Budget,
  source: BudgetedSource,
  { charged, tags }: EventOfBudget,
): readonly Budget[] {
  const { each, tag } = budget.counting ?? {};
  const hasTag = tag === undefined || tagValueOf(tags, tag.name) === tag.value;
  const owner = each === undefined ? undefined : ownerOfEach(each);
  if (owner !== undefined) {
    const own = hasTag || charged.length > 0 ? ownersOf(budget, source, owner) : [];
    const counters = own.map((id) => budgetOfCounter(budget, id));
    const ids = new Set(counters.map(({ id }) => id));
    return [...counters, ...charged.filter(({ id }) => !ids.has(id))];
  }
  if (charged.length > 0) return charged.map((one) => named(budget, one, tags));
  if (!hasTag) return [];
  if (each === undefined) return [budget];
  const value = tagValueOf(tags, tagOfEach(each));
  return value === undefined ? [] : [budgetOfCounter(budget, value)];
}

function tagValueOf(tags: Tags | undefined, name: string | undefined): string | undefined {
  return tags !== undefined && name !== undefined && Object.hasOwn(tags, name) ? tags[name] : undefined;
}

/** With its value, if the event has it. */
function named(budget: Budget, charged: Budget, tags: Tags | undefined): Budget {
  const tag = budget.counting?.each === undefined ? undefined : tagOfEach(budget.counting.each);
  const value = tagValueOf(tags, tag);
  const counter = value === undefined ? undefined : budgetOfCounter(budget, value);
  return counter?.id === charged.id ? counter : charged;
}

/** Ids of the event's owners, each once: two keys were sent on a provider's own route. */
function ownersOf(budget: Budget, source: BudgetedSource, owner: OwnerKind): readonly string[] {
  switch (owner) {
    case 'key':
      return keysOf(budget, source);
    case 'person':
      return present([source.person_id, source.project_person_id]);
    case 'system':
      return present([source.ai_system_id, source.project_ai_system_id]);
  }
}

/** The keys of the event that are of the budget's subject; both were sent on a provider's own route. */
function keysOf({ subjectId }: Budget, source: BudgetedSource): readonly string[] {
  const ofBoth = [source.organization_id, source.provider_key_id];
  const isOf = (...owners: readonly (string | null)[]) => [...ofBoth, ...owners].includes(subjectId);
  const own = isOf(source.ai_system_id, source.person_id) ? [source.key_id] : [];
  const project = source.project_key_id;
  const ofProject = project !== null && isOf(source.project_ai_system_id, source.project_person_id) ? [project] : [];
  return [...new Set([...own, ...ofProject])];
}
