// The capabilities of models: which options they accept and how they reason. A table of rows by model glob
// (catalog/traits.json): later rows override earlier ones, and an operator's own rows override them all. A row applies
// to a model under any of its names. An operator's row may name a model that another is like, because an account's own
// name does not show which model is behind it.
import { isModelGlob, selectsModel, storedSelector } from '../../catalog/model-selector.ts';
import shipped from '../../catalog/traits.json' with { type: 'json' };
import { isObject } from '../../common/json.ts';
import { type Capabilities, capabilityValues, isCapabilityName } from '../../common/model-facts.ts';
import { vendorNames } from '../../common/vendors.ts';

export type { Capabilities, Capabilities as ModelCapabilities };

export interface CapabilityRow {
  /** Glob over `<provider>/<model>`. */
  readonly models: string;
  readonly capabilities: Partial<Capabilities>;
}

export class CapabilityTable {
  readonly #rows: readonly CapabilityRow[];
  /** Bounded, because callers choose model names. */
  readonly #known = new Map<string, Capabilities>();

  constructor(own: readonly CapabilityRow[] = []) {
    this.#rows = [...shippedRows, ...own];
  }

  of(provider: string, model: string): Capabilities {
    const name = `${provider}/${model}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const capabilities = Object.freeze(capabilitiesBy(this.#rows, name));
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(name, capabilities);
    return capabilities;
  }
}

const knownMax = 1000;

function capabilitiesBy(rows: readonly CapabilityRow[], name: string): Capabilities {
  const matching = rows.filter((row) => selectsModel(row.models, name));
  return Object.assign({}, defaults, ...matching.map((row) => row.capabilities)) as Capabilities;
}

/** @throws Error that names the row and its fault */
export function parseCapabilityRows(value: unknown, source: string): readonly CapabilityRow[] {
  if (!Array.isArray(value)) throw new Error(`${source}: an array of rows is expected`);
  return value.map((row: unknown, index) => parseRow(row, `${source}, row ${index + 1}`));
}

function parseRow(row: unknown, at: string): CapabilityRow {
  if (!isObject(row)) throw new Error(`${at}: an object is expected`);
  const { models, like, ...capabilities } = row;
  if (typeof models !== 'string' || !isModelGlob(models)) throw new Error(`${at}: models must be a glob`);
  for (const [name, value] of Object.entries(capabilities)) {
    const values: readonly unknown[] | undefined = isCapabilityName(name) ? capabilityValues[name] : undefined;
    if (values === undefined) throw new Error(`${at}: there is no model capability ${name}`);
    if (!values.includes(value)) throw new Error(`${at}: ${name} must be one of ${values.join(', ')}`);
  }
  return Object.freeze({
    models: storedSelector(models),
    capabilities: { ...capabilitiesLike(like, at), ...capabilities },
  });
}

/** Globs of rows that can match no model, because none of the five providers' names fits their beginning. */
export function idleRows(rows: readonly CapabilityRow[]): readonly string[] {
  return rows.flatMap(({ models }) => {
    const beginning = models.split('*', 1)[0] ?? '';
    const fits = (provider: string) =>
      beginning.startsWith(`${provider}/`) || (models.includes('*') && `${provider}/`.startsWith(beginning));
    return vendorNames.some(fits) ? [] : [models];
  });
}

/** @param like `<provider>/<model>` of a model that the shipped rows describe */
function capabilitiesLike(like: unknown, at: string): Partial<Capabilities> {
  if (like === undefined) return {};
  if (typeof like === 'string' && /^[^/]+\/./.test(like)) return capabilitiesBy(shippedRows, storedSelector(like));
  throw new Error(`${at}: like must be <provider>/<model>`);
}

const defaults = Object.fromEntries(
  Object.entries(capabilityValues).map(([name, values]) => [name, values[0]]),
) as Capabilities;

const shippedRows = parseCapabilityRows(shipped, 'catalog/traits.json');
