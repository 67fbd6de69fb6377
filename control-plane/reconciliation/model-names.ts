// Finds one name for the names that vendors, callers and bills use for a model. A name on a bill is a known model's
// only if all its words and numbers are those of one model of the catalog. A wrong match would balance two models
// against each other, and balanced models are not checked. An unknown name stays in the vendor's spelling, and
// operators map it.
import type { Catalog } from '../../catalog/catalog.ts';
import { catalogInForce } from '../../catalog/in-force.ts';
import { modelMeant } from '../../catalog/model-names.ts';
import type { BillVendor } from '../../proto/words/money.ts';
import { providersOfVendors } from './documents.ts';

export interface ModelNames {
  /** The name without its provider: a known model's own name, otherwise the text without its version. */
  nameOf(text: string): string;
  isKnown(name: string): boolean;
}

/** Uses the current catalog. */
export function modelNames(vendor: BillVendor): ModelNames {
  const known = namesInForce(vendor);
  return {
    nameOf: (text) => {
      const plain = withoutVersion(ofCatalog(vendor, text));
      return known.names.has(plain) ? plain : (known.byWords.get(wordsOf(text)) ?? plain);
    },
    isKnown: (name) => known.names.has(name),
  };
}

/** Resolves a synonym, or an ARN that ends in a model's id, to the model. */
function ofCatalog(vendor: BillVendor, text: string): string {
  const provider = providersOfVendors[vendor];
  return provider === undefined ? text : modelMeant(`${provider}/${text}`).slice(provider.length + 1);
}

interface Names {
  readonly names: ReadonlySet<string>;
  /** Words that two models share belong to neither. */
  readonly byWords: ReadonlyMap<string, string>;
}

const namesOfCatalogs = new WeakMap<Catalog, Map<BillVendor, Names>>();

function namesInForce(vendor: BillVendor): Names {
  const catalog = catalogInForce();
  const ofVendors = namesOfCatalogs.get(catalog) ?? new Map<BillVendor, Names>();
  namesOfCatalogs.set(catalog, ofVendors);
  const names = ofVendors.get(vendor) ?? readNames(vendor, catalog);
  ofVendors.set(vendor, names);
  return names;
}

function readNames(vendor: BillVendor, { names }: Catalog): Names {
  const provider = providersOfVendors[vendor];
  const rows = names.filter((row) => row.provider === provider).map(({ name }) => ofCatalog(vendor, name));
  const byWords = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const row of rows) {
    const name = withoutVersion(row);
    for (const words of spellings(row, name)) {
      if ((byWords.get(words) ?? name) !== name) ambiguous.add(words);
      byWords.set(words, name);
    }
  }
  for (const words of ambiguous) byWords.delete(words);
  return { names: new Set(rows.map(withoutVersion)), byWords };
}

const region = /^(us-gov|us|eu|apac|jp|au|ca|global)\.(?=[a-z0-9]+\.)/;
const version = /(-\d{4}-\d{2}-\d{2}|-\d{8}|-latest|@\d{8}|@latest|-00\d)$/;
const revision = /(-v?\d+:\d+[a-z0-9:]*|:\d+[a-z0-9:]*|-v1)$/;

/**
 * Removes dates, revisions and regions of a model's name: `us.anthropic.claude-opus-5-20260501-v1:0` →
 * `anthropic.claude-opus-5`.
 */
function withoutVersion(text: string): string {
  return text.toLowerCase().replace(region, '').replace(revision, '').replace(version, '');
}

const maker = /^[a-z0-9]+\./;
const date = /-\d{4}-(\d{2})-(\d{2})$/;

/**
 * The spellings on bills: with or without the maker or "preview". One vendor writes the date of `gpt-4o-2024-08-06` as
 * `gpt-4o-0806`.
 */
function spellings(row: string, name: string): readonly string[] {
  const dated = date.test(row) ? [row.replace(date, '-$1$2')] : [];
  return [name, name.replace(maker, ''), name.replace(/-preview$/, ''), ...dated].map(wordsOf);
}

/** The words and numbers, sorted. A 0 after the point is left out, because it makes no difference. */
function wordsOf(text: string): string {
  // Some vendors join words: `NovaPro`.
  const words =
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+|\d+/g) ?? [];
  return words
    .filter((word) => word !== '0')
    .toSorted()
    .join(' ');
}
