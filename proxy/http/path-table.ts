// Finds the rows of a path. Paths without names are looked up; of the others, only those with the same first segment
// are tried, in the order of the table.
import type { RouteRow } from './routes.ts';

/** The rows of one path of the table, by method. */
export interface PathMatch {
  readonly rows: ReadonlyMap<string, RouteRow>;
  /** The first of them, for what all rows of a path share: the format, and whether it calls a model. */
  readonly row: RouteRow;
  /** What the names in the path stand for, as sent. */
  readonly values: PathValues;
}

export type PathValues = Readonly<Partial<Record<string, string>>>;

interface Pattern {
  /** The text before the first name and after the last: compared first, because that is cheap. */
  readonly prefix: string;
  readonly suffix: string;
  readonly expression: RegExp;
  readonly names: readonly string[];
  readonly rows: Map<string, RouteRow>;
  readonly row: RouteRow;
}

const noValues: PathValues = {};

export class PathTable {
  readonly #fixed = new Map<string, PathMatch & { readonly rows: Map<string, RouteRow> }>();
  readonly #patterns = new Map<string, Pattern[]>();

  constructor(rows: readonly RouteRow[]) {
    for (const [, rowsOfPath] of Map.groupBy(rows, ({ path }) => path)) this.#add(rowsOfPath);
  }

  /** @param path as received, without the query */
  find(path: string): PathMatch | undefined {
    const fixed = this.#fixed.get(path);
    if (fixed !== undefined) return fixed;
    for (const { prefix, suffix, expression, names, rows, row } of this.#patterns.get(firstSegment(path)) ?? []) {
      if (!path.endsWith(suffix) || !path.startsWith(prefix)) continue;
      const found = expression.exec(path);
      if (found === null) continue;
      return { rows, row, values: valuesOf(names, found) };
    }
    return undefined;
  }

  #add(rowsOfPath: readonly RouteRow[]): void {
    const [row] = rowsOfPath;
    if (row === undefined) return;
    const rows = new Map(rowsOfPath.map((one) => [one.method, one]));
    const names = namesIn(row.path);
    if (names.length === 0) {
      this.#fixed.set(row.path, { rows, row, values: noValues });
      return;
    }
    const first = firstSegment(row.path);
    const patterns = this.#patterns.get(first) ?? [];
    const suffix = row.path.slice(row.path.lastIndexOf('}') + 1);
    const prefix = row.path.slice(0, row.path.indexOf('{'));
    patterns.push({ prefix, suffix, expression: expressionOf(row.path), names, rows, row });
    this.#patterns.set(first, patterns);
  }
}

const nameInPath = /\{\+?([a-z_]+)\}/g;

/** The names in a path of the table, in their order. */
export function namesIn(path: string): readonly string[] {
  return [...path.matchAll(nameInPath)].map(([, name = '']) => name);
}

function valuesOf(names: readonly string[], found: readonly string[]): PathValues {
  const values: Partial<Record<string, string>> = {};
  for (const [index, name] of names.entries()) values[name] = found[index + 1];
  return values;
}

function expressionOf(path: string): RegExp {
  const source = path
    .split(/(\{\+?[a-z_]+\})/)
    .map((part) => {
      if (part === '{provider}') return '([a-z0-9-]+)';
      if (part.startsWith('{+')) return '(.+)';
      return part.startsWith('{') ? '([^/]+)' : RegExp.escape(part);
    })
    .join('');
  return new RegExp(`^${source}$`);
}

/** `/v1/models` → `v1` */
function firstSegment(path: string): string {
  return path.slice(1, path.indexOf('/', 1));
}
