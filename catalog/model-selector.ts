// What selects models: a name, or a glob over names. A selector selects a model if it matches any of the model's names, so whichever
// name a caller sends, the same rules hold.
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

const globPattern = /^[A-Za-z0-9*][A-Za-z0-9._:@/+*-]{0,319}$/;

/** Whether the text can be stored as a glob over `<provider>/<model>`, where `*` matches any run of characters, also `/`. */
export function isModelGlob(text: string): boolean {
  return globPattern.test(text);
}

/** Linear in the lengths: no regular expression is built from a caller's text. */
export function matchesGlob(glob: string, text: string): boolean {
  const pieces = glob.split('*');
  const first = pieces[0] ?? '';
  if (pieces.length === 1) return glob === text;
  const last = pieces[pieces.length - 1] ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
