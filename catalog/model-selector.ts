// Selectors of models: a name, or a glob over names. A selector selects a model if it matches any of the model's names,
// so the same rules hold whichever name a caller sends.
import { canonicalVendorName } from '../common/vendors.ts';
import { limitNamesOfModel, modelMeant, namesOfModel } from './model-names.ts';

/**
 * Replaces the provider's alias by its canonical name. The rest stays, so that a `-latest` name follows the catalog.
 */
export function storedSelector(selector: string): string {
  const slash = selector.indexOf('/');
  const provider = slash === -1 ? undefined : canonicalVendorName(selector.slice(0, slash));
  return provider === undefined ? selector : provider + selector.slice(slash);
}

/** The effective selector: a name becomes the canonical name of its model. */
export function canonicalSelector(selector: string): string {
  const stored = storedSelector(selector);
  return isGlob(stored) ? stored : modelMeant(stored);
}

export function isGlob(selector: string): boolean {
  return selector.includes('*');
}

/** For allow-lists and prices: matches exactly. @param model `<provider>/<model>`, canonical provider */
export function selectsModel(selector: string, model: string): boolean {
  return matchesAny(selector, namesOfModel(model));
}

/** For limits: matches in any letter case, and also the undated name. */
export function limitsModel(selector: string, model: string): boolean {
  return matchesAny(selector.toLowerCase(), limitNamesOfModel(model));
}

const shadowPrefix = 'shadow/';

/** Whether a budget is for the copies of requests that a route sends to another model. No other selector is for these. */
export function isShadow(selector: string): boolean {
  return selector.startsWith(shadowPrefix);
}

/** Whether a budget's selector is for the copies of this route's requests. @param route its name, without a prefix */
export function limitsShadow(selector: string, route: string): boolean {
  if (!isShadow(selector)) return false;
  return matchesGlob(canonicalSelector(selector.slice(shadowPrefix.length)).toLowerCase(), route.toLowerCase());
}

/** The model of such copies in sums of usage, which are not those of the model's requests. */
export function shadowModel(model: string): string {
  return `${shadowPrefix}${model}`;
}

/** Whether a list allows the model; an empty list allows all. The lists of several levels intersect. */
export function allowsModel(selectors: readonly string[], model: string): boolean {
  if (selectors.length === 0) return true;
  const names = namesOfModel(model);
  return selectors.some((selector) => matchesAny(selector, names));
}

function matchesAny(selector: string, names: readonly string[]): boolean {
  return names.some((name) => matchesGlob(selector, name));
}

const globPattern = /^[A-Za-z0-9*][A-Za-z0-9._:@/+*-]{0,319}$/;

/**
 * Whether the text can be stored as a glob over `<provider>/<model>`; `*` matches any run of characters, including `/`.
 */
export function isModelGlob(text: string): boolean {
  return globPattern.test(text);
}

/** Linear in both lengths. It builds no regular expression, because the text comes from a caller. */
export function matchesGlob(glob: string, text: string): boolean {
  const pieces = glob.split('*');
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return glob === text;
  const last = pieces[pieces.length - 1] ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
