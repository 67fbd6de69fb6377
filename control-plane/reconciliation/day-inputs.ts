// Reads all inputs of a comparison in one snapshot.
import type { Kysely } from 'kysely';
import { dayOf } from '../../common/budget-window.ts';
import { dayMs } from '../../common/durations.ts';
import { nanoPerUsd } from '../../common/money.ts';
import type { BillDocument, BillVendor } from '../../proto/words/money.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { Bound } from './analysis.ts';
import type { BillRow, CellKey, DayOfVendor } from './cells.ts';
import { finalAt } from './documents.ts';
import { readLedgerSums } from './ledger-sums.ts';
import { createMappings, groupWithoutMapping, type Mappings, theReferences } from './mappings.ts';
import { modelNames } from './model-names.ts';
import { type PriceOf, readPrices } from './prices.ts';

export interface ReconcileDay {
  readonly organizationId: string;
  readonly vendor: BillVendor;
  readonly day: string;
}

/** The cell and amount of an adjustment. */
export interface AdjustedCell extends CellKey {
  /** In nano-dollars. */
  readonly amount: number;
}

export interface Neighbour {
  /** The remaining difference, in nano-dollars. */
  readonly left: number;
  readonly unexplained: boolean;
}

export interface DayInputs extends DayOfVendor {
  readonly day: string;
  /** The version of the inputs; a result with another version is outdated. */
  readonly version: number;
  readonly covering: readonly BillDocument[];
  /** Why the bill may still change; undefined if it is final. */
  readonly preliminary: string | undefined;
  readonly priceOf: PriceOf;
  readonly bound: Bound;
  readonly adjustments: readonly AdjustedCell[];
  /** Differences of the day before and the day after, by id. */
  readonly neighbours: ReadonlyMap<string, Neighbour>;
  nameOfKey(id: string): string;
}

/** @returns undefined if nothing is known of the day any more */
export async function readDay(db: Kysely<Schema>, dueDay: ReconcileDay, now: number): Promise<DayInputs | undefined> {
  const { organizationId, vendor, day } = dueDay;
  const state = await db
    .selectFrom('reconcile_days')
    .select('version')
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', '=', day)
    .executeTakeFirst();
  if (state === undefined) return undefined;
  const covering = await readCovering(db, dueDay);
  const mappings = await readMappings(db, organizationId, vendor);
  const names = await readKeyNames(db, organizationId);
  return {
    vendor,
    day,
    version: state.version,
    covering: covering.ofDay.map(({ document }) => document),
    preliminary: preliminaryBecause(covering, day, now),
    duplicates: duplicatesOf(covering.ofDay),
    rows: await readRows(db, dueDay),
    sums: await readLedgerSums(db, organizationId, day),
    mappings,
    priceOf: await readPrices(db, organizationId, day),
    bound: await readBound(db, organizationId),
    adjustments: await readAdjusted(db, dueDay, mappings),
    neighbours: await readNeighbours(db, dueDay),
    nameOfKey: (id) => names.get(id) ?? id,
  };
}

export async function readMappings(db: Kysely<Schema>, organizationId: string, vendor: BillVendor): Promise<Mappings> {
  const rows = await db
    .selectFrom('bill_mappings')
    .select(['kind', 'value', 'provider_key_ids', 'model', 'ignored'])
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .orderBy('kind')
    .orderBy('value')
    .execute();
  return createMappings(rows);
}

function readRows(db: Kysely<Schema>, { organizationId, vendor, day }: ReconcileDay): Promise<BillRow[]> {
  return db
    .selectFrom('bill_rows')
    .select(['document', 'account', 'refs', 'model', 'kind', 'tier', 'requests', 'tokens', 'cost'])
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', '=', day)
    .orderBy('document')
    .orderBy('account')
    .orderBy('nth')
    .execute();
}

interface Covered {
  readonly document: BillDocument;
  readonly account: string;
  readonly final: 0 | 1;
  readonly digest: string;
  readonly rows: number;
}

interface Covering {
  readonly ofDay: readonly Covered[];
  /** Documents and accounts of nearby days that are missing on this one. */
  readonly missing: readonly Pick<Covered, 'document' | 'account'>[];
}

/** If an account was imported within this many days before or after a day, it is expected on that day. */
const expectedDays = 10;

async function readCovering(db: Kysely<Schema>, { organizationId, vendor, day }: ReconcileDay): Promise<Covering> {
  const at = Date.parse(day);
  const around = await db
    .selectFrom('bill_days')
    .select(['day', 'document', 'account', 'final', 'digest', 'rows'])
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', '>=', dayOf(at - expectedDays * dayMs))
    .where('day', '<=', dayOf(at + expectedDays * dayMs))
    .orderBy('day')
    .execute();
  const ofDay = around.filter((row) => row.day === day);
  const nameOf = ({ document, account }: Pick<Covered, 'document' | 'account'>) => `${document} ${account}`;
  const there = new Set(ofDay.map(nameOf));
  const expected = new Map(around.map((row) => [nameOf(row), row]));
  return { ofDay, missing: [...expected].filter(([name]) => !there.has(name)).map(([, row]) => row) };
}

function preliminaryBecause({ ofDay, missing }: Covering, day: string, now: number): string | undefined {
  const early = ofDay.find((one) => one.final === 0);
  if (early !== undefined) {
    const final = finalAt(early.document, day);
    const then = final <= now ? 'it is final by now: import it again' : `it is final on ${dayOf(final)}`;
    return `${early.document} of account ${early.account} was imported before the vendor's figures were final; ${then}.`;
  }
  const [absent] = missing;
  if (absent === undefined) return undefined;
  return `${absent.document} of account ${absent.account} is not imported for this day.`;
}

/** Accounts that repeat the day's rows of another account of the same document; the first of them counts. */
function duplicatesOf(ofDay: readonly Covered[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const again = ofDay
    .filter(({ rows }) => rows > 0)
    .filter(({ document, digest }) => {
      const key = `${document} ${digest}`;
      const isSeen = seen.has(key);
      seen.add(key);
      return isSeen;
    });
  return new Set(again.map(({ document, account }) => `${document} ${account}`));
}

async function readKeyNames(db: Kysely<Schema>, organizationId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('provider_keys')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const refsOf = jsonColumn('usage_adjustments', 'refs', theReferences);

/** An adjustment belongs to the group that its provider key or reference is mapped to now. */
async function readAdjusted(
  db: Kysely<Schema>,
  { organizationId, vendor, day }: ReconcileDay,
  mappings: Mappings,
): Promise<readonly AdjustedCell[]> {
  const rows = await db
    .selectFrom('usage_adjustments')
    .select(['id', 'provider_key_id', 'refs', 'name', 'kind', 'amount'])
    .where('organization_id', '=', organizationId)
    .where('day', '=', day)
    .where('vendor', '=', vendor)
    .execute();
  const { nameOf } = modelNames(vendor);
  return rows.map((row) => {
    const { provider_key_id: key, name, kind, amount } = row;
    const mapped = mappings.of(refsOf(row));
    const byRefs = mapped.kind === 'group' ? mapped.group : groupWithoutMapping('');
    const group = key === '' ? byRefs : (mappings.groupOf(key) ?? groupWithoutMapping(key));
    return { group, model: kind === 'usage' ? nameOf(name) : '', kind, amount };
  });
}

async function readNeighbours(
  db: Kysely<Schema>,
  { organizationId, vendor, day }: ReconcileDay,
): Promise<ReadonlyMap<string, Neighbour>> {
  const rows = await db
    .selectFrom('reconcile_rows')
    .select(['id', 'drift', 'adjusted', 'state'])
    .where('organization_id', '=', organizationId)
    .where('vendor', '=', vendor)
    .where('day', 'in', daysAround(day))
    .execute();
  return new Map(
    rows.map(({ id, drift, adjusted, state }) => [
      id,
      { left: drift - adjusted, unexplained: state === 'unexplained' },
    ]),
  );
}

/** The day before and the day after. */
export function daysAround(day: string): readonly [string, string] {
  const at = Date.parse(day);
  return [dayOf(at - dayMs), dayOf(at + dayMs)];
}

/**
 * The size from which a difference counts, unless the organization sets another: one percent, and one cent. Differences
 * below both, in every model and day, add up to at most one percent of the bill.
 */
export const defaultBound: Bound = { percent: 100, least: nanoPerUsd / 100 };

export async function readBound(db: Kysely<Schema>, organizationId: string): Promise<Bound> {
  const row = await db
    .selectFrom('reconcile_settings')
    .select(['bound_percent', 'bound'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row === undefined ? defaultBound : { percent: row.bound_percent, least: row.bound };
}
