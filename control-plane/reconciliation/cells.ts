// Pairs both sides of a day: one cell for each group of provider keys, model and kind of charge. Usage and cost may
// come from two documents; if one document reports both, its own tokens count. Pure.
import type { Selectable } from 'kysely';
import type { BillDocument, BillRowKind, BillVendor } from '../../proto/words/money.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import { documents, providersOfVendors } from './documents.ts';
import type { LedgerSum } from './ledger-sums.ts';
import { type Group, groupWithoutMapping, type Mappings, type Reference, theReferences } from './mappings.ts';
import { modelNames } from './model-names.ts';
import { noTokens, plusTokens, type Tokens, theTokens } from './tokens.ts';

export type BillRow = Pick<
  Selectable<Schema['bill_rows']>,
  'document' | 'account' | 'refs' | 'model' | 'kind' | 'tier' | 'requests' | 'tokens' | 'cost'
>;

/** The billed side of a cell. Amounts are in nano-dollars. */
export interface Billed {
  /** Undefined if no document reports a cost. */
  cost: number | undefined;
  tokens: Tokens | undefined;
  requests: number | undefined;
  readonly refs: Map<string, Reference>;
  /** Tokens of service tiers other than the standard one. */
  readonly tiers: Map<string, Tokens>;
  /**
   * Usage that did not go through the gateway: unmapped keys in a mapped project, and kinds that the gateway never
   * sends, such as batches.
   */
  readonly past: { cost: number; tokens: Tokens; readonly by: Set<string> };
  /** Cost of documents that repeat another one. */
  duplicated: number;
}

export interface EstimatedSum {
  requests: number;
  cost: number;
  reported: number;
}

export interface RecordedUsage {
  requests: number;
  cost: number;
  tokens: Tokens;
  /** Requests with reported usage and a price; they show how much a token costs here. */
  complete: { cost: number; tokens: Tokens };
  readonly estimated: Map<string, EstimatedSum>;
  unpriced: { requests: number; tokens: Tokens };
  /** Tokens by service tier, except the standard one. */
  readonly tiers: Map<string, Tokens>;
  /** Requested names with their cost. */
  readonly requested: Map<string, number>;
}

export interface CellKey {
  readonly group: Group;
  /** Without its provider; empty if the cell is of no model. */
  readonly model: string;
  readonly kind: BillRowKind;
}

export interface Cell extends CellKey {
  /** Whether the catalog or a mapping knows its model. */
  readonly known: boolean;
  readonly billed: Billed;
  readonly ledger: RecordedUsage;
}

export interface DayOfVendor {
  readonly vendor: BillVendor;
  readonly rows: readonly BillRow[];
  readonly sums: readonly LedgerSum[];
  readonly mappings: Mappings;
  /** Documents and accounts that repeat another account: "document account". */
  readonly duplicates: ReadonlySet<string>;
}

export interface Cells {
  readonly cells: readonly Cell[];
  /** Cost of rows that do not belong to the gateway, in nano-dollars. */
  readonly ignored: number;
}

/** @param expected cells that are created even if nothing is recorded or billed there */
export function cellsOf(day: DayOfVendor, expected: readonly CellKey[] = []): Cells {
  const table = new Table(day);
  let ignored = 0;
  for (const key of expected) table.at(key);
  for (const row of day.rows) ignored += addRow(table, day, row);
  for (const sum of day.sums) addSum(table, day, sum);
  const cells = [...table.cells.values()];
  return { cells, ignored };
}

/** The name by which a request would have named the model. */
export function qualified(vendor: BillVendor, { model, ledger }: Cell): string {
  const [requested] = [...ledger.requested].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  if (requested !== undefined) return requested;
  const provider = providersOfVendors[vendor];
  return model === '' || provider === undefined ? model : `${provider}/${model}`;
}

interface NamedModel {
  readonly name: string;
  /** Whether an operator has mapped the name. */
  readonly isMapped: boolean;
}

class Table {
  readonly cells = new Map<string, Cell>();
  readonly #names: ReturnType<typeof modelNames>;
  readonly #mappings: Mappings;
  readonly #servedNames: ReadonlyMap<string, string>;

  constructor({ vendor, mappings, sums }: DayOfVendor) {
    this.#names = modelNames(vendor);
    this.#mappings = mappings;
    this.#servedNames = this.#respondedNames(sums);
  }

  nameOfBill(text: string): NamedModel | 'ignored' {
    const model = this.#mappings.modelOf(text);
    return model === 'ignored' ? model : this.#named(text, model?.model);
  }

  /** Deployments and profiles of clouds are mapped too, because a response may not name the model behind them. */
  nameOfSum({ requested, servedModel }: LedgerSum): NamedModel {
    const text = servedModel === '' ? (this.#servedNames.get(requested) ?? afterProvider(requested)) : servedModel;
    const model = this.#mappings.modelOf(text);
    return this.#named(text, model === 'ignored' ? undefined : model?.model);
  }

  at(cellKey: CellKey, isMapped = false): Cell {
    const { group, model, kind } = cellKey;
    const key = `${kind} ${group.id} ${model}`;
    const known = isMapped || model === '' || this.#names.isKnown(model);
    const cell = this.cells.get(key) ?? { group, model, known, kind, billed: noBill(), ledger: nothing() };
    this.cells.set(key, cell);
    return cell;
  }

  #named(text: string, mapped: string | undefined): NamedModel {
    const name = this.#names.nameOf(mapped === undefined ? text : afterProvider(mapped));
    return { name, isMapped: mapped !== undefined };
  }

  /**
   * For each requested name the provider's name, if it is only one. It names the model of responses that ended before
   * they reported it.
   */
  #respondedNames(sums: readonly LedgerSum[]): ReadonlyMap<string, string> {
    const reported = sums.filter(({ servedModel }) => servedModel !== '');
    const byRequested = Map.groupBy(reported, ({ requested }) => requested);
    return new Map(
      [...byRequested].flatMap(([requested, some]) => {
        const [only, ...others] = new Set(some.map(({ servedModel }) => this.#names.nameOf(servedModel)));
        return only === undefined || others.length > 0 ? [] : [[requested, only] as const];
      }),
    );
  }
}

const refsOf = jsonColumn('bill_rows', 'refs', theReferences);
const tokensOf = jsonColumn('bill_rows', 'tokens', theTokens);

/** @returns the row's cost if it does not belong to the gateway, otherwise 0 */
function addRow(table: Table, { mappings, duplicates }: DayOfVendor, row: BillRow): number {
  const refs = refsOf(row, row.document);
  const mapped = mappings.of(refs);
  const model = table.nameOfBill(row.model);
  if (mapped.kind === 'ignored' || model === 'ignored') return row.cost ?? 0;
  const { group, by } = mapped;
  const { kind } = row;
  const { billed } = table.at({ group, model: kind === 'usage' ? model.name : '', kind }, model.isMapped);
  const tokens = row.tokens === null ? undefined : tokensOf({ tokens: row.tokens }, row.document);
  if (row.cost !== null) billed.cost = (billed.cost ?? 0) + row.cost;
  if (tokens !== undefined) billed.tokens = plusTokens(billed.tokens ?? noTokens, tokens);
  if (row.requests !== null) billed.requests = (billed.requests ?? 0) + row.requests;
  for (const ref of refs) billed.refs.set(`${ref.kind} ${ref.value}`, ref);
  const part = { cost: row.cost ?? 0, tokens: tokens ?? noTokens };
  if (row.tier !== '') addTier(billed.tiers, row.tier, part.tokens);
  const past = kind === 'usage' ? pastBy(mappings, row, { refs, group, by }) : '';
  if (past !== '') {
    billed.past.cost += part.cost;
    billed.past.tokens = plusTokens(billed.past.tokens, part.tokens);
    billed.past.by.add(past);
  }
  if (duplicates.has(`${row.document} ${row.account}`)) billed.duplicated += part.cost;
  return 0;
}

interface FoundGroup {
  readonly refs: readonly Reference[];
  readonly group: Group;
  readonly by: Reference | undefined;
}

/**
 * Names the origin of usage that did not go through the gateway: batches, and unmapped keys of a project with mapped
 * keys.
 */
function pastBy(mappings: Mappings, { tier }: BillRow, { refs, group, by }: FoundGroup): string {
  if (tier === batch) return batch;
  const [specific] = refs;
  if (specific === undefined || by === undefined || specific === by) return '';
  return mappings.maps(specific.kind, group) ? `${specific.kind} ${specific.value}` : '';
}

/** The gateway sends no batches. */
const batch = 'batch';

function addTier(sums: Map<string, Tokens>, tier: string, tokens: Tokens): void {
  sums.set(tier, plusTokens(sums.get(tier) ?? noTokens, tokens));
}

function addSum(table: Table, { vendor, mappings }: DayOfVendor, sum: LedgerSum): void {
  const group = groupOf(vendor, mappings, sum);
  if (group === undefined) return;
  const { name, isMapped } = table.nameOfSum(sum);
  const { ledger } = table.at({ group, model: name, kind: 'usage' }, isMapped);
  ledger.requests += sum.requests;
  ledger.cost += sum.cost;
  ledger.tokens = plusTokens(ledger.tokens, sum.tokens);
  if (sum.tier !== '') addTier(ledger.tiers, sum.tier, sum.tokens);
  ledger.requested.set(sum.requested, (ledger.requested.get(sum.requested) ?? 0) + sum.cost);
  if (sum.estimated) {
    const reason = sum.reason === '' ? 'not reported' : sum.reason;
    const known = ledger.estimated.get(reason) ?? { requests: 0, cost: 0, reported: 0 };
    ledger.estimated.set(reason, {
      requests: known.requests + sum.requests,
      cost: known.cost + sum.cost,
      reported: known.reported + sum.reported,
    });
  } else if (sum.unpriced) {
    const { requests, tokens } = ledger.unpriced;
    ledger.unpriced = { requests: requests + sum.requests, tokens: plusTokens(tokens, sum.tokens) };
  } else {
    const { cost, tokens } = ledger.complete;
    ledger.complete = { cost: cost + sum.cost, tokens: plusTokens(tokens, sum.tokens) };
  }
}

/** Undefined if the usage is on no bill of this vendor. */
function groupOf(vendor: BillVendor, mappings: Mappings, sum: LedgerSum): Group | undefined {
  const mapped = mappings.groupOf(sum.providerKeyId);
  if (mapped !== undefined) return mapped;
  if (sum.provider !== providersOfVendors[vendor]) return undefined;
  // Older proxies did not report the provider key. If all of the vendor's usage belongs to one group, that group is
  // certain.
  const [only, ...others] = mappings.groups;
  if (sum.providerKeyId === '' && only !== undefined && others.length === 0) return only;
  return groupWithoutMapping(sum.providerKeyId);
}

function afterProvider(qualifiedName: string): string {
  return qualifiedName.slice(qualifiedName.indexOf('/') + 1);
}

function noBill(): Billed {
  return {
    cost: undefined,
    tokens: undefined,
    requests: undefined,
    refs: new Map(),
    tiers: new Map(),
    past: { cost: 0, tokens: noTokens, by: new Set() },
    duplicated: 0,
  };
}

function nothing(): RecordedUsage {
  return {
    requests: 0,
    cost: 0,
    tokens: noTokens,
    complete: { cost: 0, tokens: noTokens },
    estimated: new Map(),
    unpriced: { requests: 0, tokens: noTokens },
    tiers: new Map(),
    requested: new Map(),
  };
}

/**
 * Whether the day's documents report tokens and cost. A value that they could report but do not contain is zero, not
 * unknown.
 */
export function saysOf(covering: Iterable<BillDocument>): {
  readonly tokens: boolean;
  readonly cost: boolean;
} {
  const rules = [...covering].map((document) => documents[document].reports);
  return { tokens: rules.some(({ tokens }) => tokens), cost: rules.some(({ cost }) => cost) };
}
