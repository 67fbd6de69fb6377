// Suggestions for an unknown model name: the nearest known models, and whether the name looks like a typing error or
// like a model that is newer than the catalog.
import { editDistance, nearest } from '../common/nearest.ts';
import { canonicalVendorName } from '../common/vendors.ts';
import { catalogNamesOf, openNames } from './model-names.ts';

const nearestMax = 3;

/**
 * @param requested `<provider>/<model>`, a bare model, or a glob
 * @param known `<provider>/<model>` each
 * @param isWanted filters the known names
 * @returns at most three, the nearest first
 */
export function nearestModels(
  requested: string,
  known: Iterable<string>,
  isWanted: (name: string) => boolean = () => true,
): readonly string[] {
  const [provider, model] = parts(requested.replaceAll('*', ''));
  const byModel = Map.groupBy(known, (name) => parts(name)[1]);
  const atProvider = canonicalVendorName(provider) ?? provider;
  const wanted = (name: string) => (byModel.get(name) ?? []).filter(isWanted);
  return nearest(model, byModel.keys(), nearestMax, (name) => wanted(name).length > 0)
    .flatMap((name) => wanted(name).toSorted(providerFirst(atProvider)))
    .slice(0, nearestMax);
}

/**
 * Whether the name is a typing error. It is one if it is close to a name in the shipped provider's catalog, or belongs
 * to none of its model families. A name that differs from a known one only in its numbers is taken for a new version.
 * Where names are open, nothing is a typing error.
 * @param model `<provider>/<model>`, canonical provider, not in the catalog
 */
export function isSlip(model: string): boolean {
  if (openNames.some((beginning) => model.startsWith(beginning))) return false;
  const [provider, name] = parts(model.toLowerCase());
  const known = shapesOf(provider);
  const shape = shapeOf(name);
  if (known.shapes.has(shape)) return false;
  return isNearOne(shape, known.shapes) || !known.families.has(familyOf(name));
}

/** Whether the name differs from a known one in a few letters, and not only in its numbers. */
export function isSlipOf(name: string, known: Iterable<string>): boolean {
  const shapes = new Set([...known].map((one) => shapeOf(one.toLowerCase())));
  const shape = shapeOf(name.toLowerCase());
  return !shapes.has(shape) && isNearOne(shape, shapes);
}

function isNearOne(shape: string, shapes: ReadonlySet<string>): boolean {
  const slipsMax = shape.length < 6 ? 1 : shape.length < 12 ? 2 : 3;
  for (const known of shapes) {
    if (Math.abs(known.length - shape.length) <= slipsMax && editDistance(known, shape) <= slipsMax) return true;
  }
  return false;
}

interface Shapes {
  readonly shapes: ReadonlySet<string>;
  readonly families: ReadonlySet<string>;
}

const shapesByProvider = new Map<string, Shapes>();

function shapesOf(provider: string): Shapes {
  const made = shapesByProvider.get(provider);
  if (made !== undefined) return made;
  const names = catalogNamesOf(provider).map((name) => parts(name.toLowerCase())[1]);
  const shapes = { shapes: new Set(names.map(shapeOf)), families: new Set(names.map(familyOf)) };
  if (names.length > 0) shapesByProvider.set(provider, shapes);
  return shapes;
}

/** `claude-sonnet-4-5-20250929` → `claude-sonnet-#` */
function shapeOf(name: string): string {
  return name.replace(/\d+(?:[.-]\d+)*/g, '#');
}

/** The letters at the beginning: `gpt`, `claude`, `o`. */
function familyOf(name: string): string {
  return /^[a-z]*/.exec(name)?.[0] ?? '';
}

function providerFirst(provider: string): (a: string, b: string) => number {
  const isAt = (name: string) => (name.startsWith(`${provider}/`) ? 0 : 1);
  return (a, b) => isAt(a) - isAt(b);
}

/** A text without a slash is a model without a provider. */
function parts(text: string): readonly [provider: string, model: string] {
  const slash = text.indexOf('/');
  return [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
}
