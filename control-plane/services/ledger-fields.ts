// The fields of the ledger's requests. Pure.
import { isWindowName } from '../../common/budget-window.ts';
import { counterOf, isCounterName, limitOfCounter } from '../../common/counter-names.ts';
import { type Field, invalid, valid } from '../domain/field.ts';

export const nanoProblem = 'must be whole nano-dollars below 2^53, as a decimal string';
export const windowProblem = 'must be a day as YYYY-MM-DD, a minute as YYYY-MM-DDTHH:MMZ, or "total"';

const wholePattern = /^\d{1,16}$/;

/** @returns undefined unless the text is a whole number below 2^53 as a decimal string */
export function nanoOf(text: string): number | undefined {
  const value = wholePattern.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

export function ledgerWindow(text: string): Field<string> {
  return isWindowName(text) ? valid(text) : invalid(windowProblem);
}

/** Reads nano-dollars of at least this amount. */
export function nanoUsd(least: number): (text: string) => Field<number> {
  return (text) => {
    const nano = nanoOf(text);
    if (nano === undefined) return invalid(nanoProblem);
    return nano < least ? invalid(`must be at least ${least}`) : valid(nano);
  };
}

/** Reads the sequence number of an operation, from 1. */
export function seq(text: string): Field<number> {
  const value = nanoOf(text);
  return value === undefined || value === 0 ? invalid('must be from 1 to 2^53 - 1') : valid(value);
}

export const budgetIdProblem = 'must be the id of a budget, a UUID in lower case, or the name of its counter';

/** Reads a budget's id, or the name of a counter of it. */
export function budgetId(text: string): Field<string> {
  return isCounterName(text) ? valid(text) : invalid(budgetIdProblem);
}

/** Reads the value of a counter, which its name is made of. */
export function counterValue(name: string, value: string | undefined): Field<string | undefined> {
  return value === undefined || counterOf(limitOfCounter(name), value) === name
    ? valid(value)
    : invalid('must be the value of the counter that budget_id names');
}
