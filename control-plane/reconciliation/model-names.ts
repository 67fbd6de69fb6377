// One name for what vendors, callers and bills call a model. A name on a bill is a model's only if all of its words and numbers are
// those of one model of the catalog: a resemblance that is wrong would balance two models against each other, and nobody looks at
// what balances. What is not known stays in the vendor's words, and operators map it.
import type { Catalog } from '../../catalog/catalog.ts';
import { catalogInForce } from '../../catalog/in-force.ts';
import { modelMeant } from '../../catalog/model-names.ts';
import type { BillVendor } from '../../proto/words/money.ts';
import { providersOfVendors } from './documents.ts';

export interface ModelNames {
  /** The name without its provider: of a model that is known, its own; else the text without its version. */
  nameOf(text: string): string;
  isKnown(name: string): boolean;
}

/** By the catalog in force. */
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

/** A synonym, or an ARN that ends in a model's id, is that model. */
function ofCatalog(vendor: BillVendor, text: string): string {
  const provider = providersOfVendors[vendor];
  return provider === undefined ? text : modelMeant(`${provider}/${text}`).slice(provider.length + 1);
}

interface Names {
  readonly names: ReadonlySet<string>;
  /** Words that are those of two models are none's. */
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

function readNames(vendor: BillVendor, { models }: Catalog): Names {
  const provider = providersOfVendors[vendor];
  const rows = models.filter((row) => row.provider === provider).map(({ name }) => ofCatalog(vendor, name));
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

/** Without what tells a model's dates, revisions and regions apart: `us.anthropic.claude-opus-5-20260501-v1:0` → `anthropic.claude-opus-5`. */
function withoutVersion(text: string): string {
  return text.toLowerCase().replace(region, '').replace(revision, '').replace(version, '');
}

const maker = /^[a-z0-9]+\./;
const date = /-\d{4}-(\d{2})-(\d{2})$/;

/**
 * As bills write it: with or without its maker or that it is a preview, and one vendor has the date of `gpt-4o-2024-08-06` as
 * `gpt-4o-0806`.
 */
function spellings(row: string, name: string): readonly string[] {
  const dated = date.test(row) ? [row.replace(date, '-$1$2')] : [];
  return [name, name.replace(maker, ''), name.replace(/-preview$/, ''), ...dated].map(wordsOf);
}

/** Words and numbers in one order; a number after the point that is 0 says nothing. */
function wordsOf(text: string): string {
  // Some run words together: `NovaPro`.
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
