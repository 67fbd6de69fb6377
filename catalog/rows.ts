// Rows of a catalog whose content is known to be good: each row is parsed when it is first used. A program thus starts
// without parsing a thousand rows, and most programs use a few.
import { isObject } from '../common/json.ts';
import type { CatalogModel } from './model.ts';

/** What a row says without its figures. */
export type CatalogName = Pick<CatalogModel, 'provider' | 'name' | 'chat'>;

export interface CatalogRows {
  /** Of all rows, in the catalog's order. */
  readonly names: readonly CatalogName[];
  /** All rows, in the catalog's order. */
  readonly models: readonly CatalogModel[];
  /** @param name `<provider>/<name>` */
  get(name: string): CatalogModel | undefined;
}

/** @throws Error if a model occurs twice */
export function readRows(models: readonly CatalogModel[], file: string): CatalogRows {
  const byName = mapped(models, file);
  return { names: models, models, get: (name) => byName.get(name) };
}

/**
 * @param rows unparsed
 * @param parse throws for a row that cannot be used, then and not before
 * @throws Error if a row has no name, or a model occurs twice
 */
export function unreadRows(rows: readonly unknown[], parse: (row: unknown) => CatalogModel, file: string): CatalogRows {
  const names = rows.map((row) => nameOf(row, file));
  const byName = mapped(names, file);
  const parsed = new Map<CatalogName, CatalogModel>();
  const read = (name: CatalogName): CatalogModel => {
    const before = parsed.get(name);
    if (before !== undefined) return before;
    const model = parse(name);
    parsed.set(name, model);
    return model;
  };
  let all: readonly CatalogModel[] | undefined;
  return {
    names,
    get models() {
      all ??= Object.freeze(names.map(read));
      return all;
    },
    get: (name) => {
      const found = byName.get(name);
      return found && read(found);
    },
  };
}

function nameOf(row: unknown, file: string): CatalogName {
  if (isName(row)) return row;
  throw new Error(`${file}: a row has no name`);
}

function isName(row: unknown): row is CatalogName {
  if (!isObject(row)) return false;
  const { provider, name, chat } = row;
  return typeof provider === 'string' && typeof name === 'string' && typeof chat === 'boolean';
}

function mapped<Row extends CatalogName>(rows: readonly Row[], file: string): ReadonlyMap<string, Row> {
  const byName = new Map(rows.map((row) => [`${row.provider}/${row.name}`, row] as const));
  if (byName.size !== rows.length) throw new Error(`${file}: a model is there twice`);
  return byName;
}
