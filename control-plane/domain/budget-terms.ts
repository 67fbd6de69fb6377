// What may be set of a budget beside its amount and period: whether it is soft, and its thresholds. Pure.
import { isShadow } from '../../catalog/model-selector.ts';
import { each, type Field, invalid, optional, problemsAt, valid } from './field.ts';
import { notOfRates } from './limit.ts';
import { within } from './shared-fields.ts';

/** The terms in the contract's fields. */
export interface BudgetTerms {
  readonly soft?: boolean;
  readonly thresholds?: { readonly percents: readonly number[] } | null;
}

const thresholdsMax = 10;

/** @param model the selector of the limit, if it has one: the ledger knows requests of a route by their charge alone */
export function budgetTerms(ofBudget: boolean, { soft, thresholds }: BudgetTerms, model: string | null | undefined) {
  if (!ofBudget) return { soft: notOfRates(soft), thresholds: notOfRates(thresholds ?? undefined) };
  return {
    soft: soft === true && isOfRoute(model ?? '') ? invalid(notOfRoutes) : valid(soft),
    thresholds: optional(percents, thresholds),
  };
}

function isOfRoute(model: string): boolean {
  return isShadow(model) || model.startsWith('route/');
}

const notOfRoutes = 'does not go with a budget of a route or of shadow traffic';

/** Ascending, without repetitions. */
function percents({ percents: given }: { readonly percents: readonly number[] }): Field<readonly number[]> {
  if (given.length > thresholdsMax) return invalid(`must contain at most ${thresholdsMax} percents`, '.percents');
  const read = each(within(1, 1000), given);
  if ('problems' in read) return { problems: problemsAt('.percents', read) };
  return valid([...new Set(read.value)].toSorted((a, b) => a - b));
}
