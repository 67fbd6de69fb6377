// What selects models: a name, or a glob over names. A selector selects a model if it matches any of the model's names, so whichever
// name a caller sends, the same rules hold.
import { matchesGlob } from '../common/model-glob.ts';
import { canonicalVendorName } from '../common/vendors.ts';
import { limitNamesOfModel, modelMeant, namesOfModel } from './model-names.ts';

/** With the canonical name of the provider in front. All else stays: a name of `-latest` follows what the catalog says it stands for. */
export function storedSelector(selector: string): string {
  const slash = selector.indexOf('/');
  const provider = slash === -1 ? undefined : canonicalVendorName(selector.slice(0, slash));
  return provider === undefined ? selector : provider + selector.slice(slash);
}

/** As it counts: a name becomes the canonical one of its model. */
export function canonicalSelector(selector: string): string {
  const stored = storedSelector(selector);
  return isGlob(stored) ? stored : modelMeant(stored);
}

export function isGlob(selector: string): boolean {
  return selector.includes('*');
}

/** For allow-lists and prices: letter for letter. @param model `<provider>/<name>`, canonical provider */
export function selectsModel(selector: string, model: string): boolean {
  return matchesAny(selector, namesOfModel(model));
}

/** For limits: in any case of letters, and by the undated name too. */
export function limitsModel(selector: string, model: string): boolean {
  return matchesAny(selector.toLowerCase(), limitNamesOfModel(model));
}

/** Whether a list allows the model; an empty one allows all. Lists of several levels intersect. */
export function allowsModel(selectors: readonly string[], model: string): boolean {
  if (selectors.length === 0) return true;
  const names = namesOfModel(model);
  return selectors.some((selector) => matchesAny(selector, names));
}

function matchesAny(selector: string, names: readonly string[]): boolean {
  return names.some((name) => matchesGlob(selector, name));
}
