// Compares a day of a vendor with the ledger: it is read in one snapshot, compared in memory, and written unless it has
// changed meanwhile.
import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { BillRowKind, BillVendor } from '../../proto/words/money.ts';
import type { ReconcileRowsTable } from '../store/reconciliation-tables.ts';
import { type Analysis, analyse, type Bound, isBeyond, largerSide } from './analysis.ts';
import { type Cell, cellsOf, qualified, saysOf } from './cells.ts';
import { type AdjustedCell, type DayInputs, daysAround, type Neighbour } from './day-inputs.ts';
import { called, type Explained, explain, type Surroundings } from './explain.ts';
import { noTokens } from './tokens.ts';

export type DriftRow = Omit<
  Selectable<ReconcileRowsTable>,
  'organization_id' | 'first_seen_at' | 'compared_at' | 'told_drift'
>;

export interface ComparedDay {
  /** The bound above which differences count. */
  readonly bound: Bound;
  /** The largest differences; the day's sums include all. */
  readonly rows: readonly DriftRow[];
  readonly preliminary: boolean;
  readonly compared: number;
  readonly agreed: number;
  /** In nano-dollars, like the following; undefined if no document reports a cost. */
  readonly billed: number | undefined;
  readonly ledger: number;
  readonly adjusted: number;
  readonly ignored: number;
  readonly drift: number;
  readonly unexplained: number;
  /** Neighbouring days with an unexplained difference that this day can explain; they become due again. */
  readonly wakes: readonly string[];
}

/** The most rows of a day. */
const rowsMax = 1000;

/** A cell's difference with and without its adjustments. */
interface Compared extends Analysis {
  readonly id: string;
  readonly adjusted: number;
  readonly left: number;
}

export function compareDay(inputs: DayInputs): ComparedDay {
  const { vendor, bound, adjustments } = inputs;
  const says = saysOf(inputs.covering);
  const { cells, ignored } = cellsOf(inputs, adjustments);
  const analyses = moveTools(cells.map((cell) => analyse(cell, says, inputs.priceOf(qualified(vendor, cell)))));
  const compared = withAdjustments(inputs, analyses);
  const apart = compared.filter(
    (one) => counts(one, one.left, bound) || (one.adjusted !== 0 && counts(one, one.drift, bound)),
  );
  const largest = apart.toSorted((a, b) => Math.abs(b.left) - Math.abs(a.left));
  const byModel = Map.groupBy(apart, ({ cell }) => cell.model);
  const rows = largest.slice(0, rowsMax).map((one) => {
    const around = surroundings(inputs, one, byModel.get(one.cell.model) ?? []);
    return driftRow(inputs, one, explain(one, one.left, around));
  });
  const rest = largest.slice(rowsMax).reduce((all, { left }) => all + left, 0);
  const sum = (of: (one: Compared) => number) => compared.reduce((all, one) => all + of(one), 0);
  return {
    bound,
    rows,
    preliminary: inputs.preliminary !== undefined,
    compared: compared.length,
    agreed: compared.filter((one) => !counts(one, one.left, bound)).length,
    billed: says.cost ? sum(({ cell }) => cell.billed.cost ?? 0) : undefined,
    ledger: sum(({ cell }) => cell.ledger.cost),
    adjusted: sum(({ adjusted }) => adjusted),
    ignored,
    drift: sum(({ left }) => left),
    unexplained: rows.reduce((all, { unexplained }) => all + unexplained, rest),
    wakes: daysAround(inputs.day).filter((day) =>
      apart.some((one) => oppositeOn(inputs, one, day)?.unexplained === true),
    ),
  };
}

function counts({ cell }: Analysis, difference: number, bound: Bound): boolean {
  return isBeyond(difference, largerSide(cell.billed, cell.ledger), bound);
}

function withAdjustments(inputs: DayInputs, analyses: readonly Analysis[]): readonly Compared[] {
  const { vendor, day, adjustments } = inputs;
  const idOf = ({ group, model, kind }: AdjustedCell | Cell) => driftId({ vendor, day, group: group.id, model, kind });
  const sums = new Map<string, number>();
  for (const one of adjustments) sums.set(idOf(one), (sums.get(idOf(one)) ?? 0) + one.amount);
  return analyses.map((analysis) => {
    const id = idOf(analysis.cell);
    const adjusted = sums.get(id) ?? 0;
    return { ...analysis, id, adjusted, left: analysis.drift - adjusted };
  });
}

/** @param ofModel the differences of the same model */
function surroundings(inputs: DayInputs, one: Compared, ofModel: readonly Compared[]): Surroundings {
  const { bound, preliminary, nameOfKey } = inputs;
  const counterpart = ofModel.find((other) => isCounterpart(one, other, bound));
  return {
    bound,
    preliminary,
    counterpart: counterpart && called(counterpart.cell, nameOfKey),
    neighbour: daysAround(inputs.day).find((day) => oppositeOn(inputs, one, day) !== undefined),
  };
}

/** Whether another provider key has the opposite difference of the same model, too similar to be chance. */
function isCounterpart(one: Compared, other: Compared, bound: Bound): boolean {
  const [a, b] = [one.cell, other.cell];
  if (one === other || a.kind !== 'usage' || b.kind !== 'usage') return false;
  const areMapped = [a, b].every(({ group }) => group.keys.length > 0);
  return areMapped && cancels(one.left, other.left, bound);
}

/** Finds the opposite difference of the same provider key and model on a neighbouring day. */
function oppositeOn(inputs: DayInputs, { cell, left }: Compared, day: string): Neighbour | undefined {
  const { group, model, kind } = cell;
  const { vendor, bound, neighbours } = inputs;
  const other = neighbours.get(driftId({ vendor, day, group: group.id, model, kind }));
  if (other === undefined || group.keys.length === 0) return undefined;
  return cancels(left, other.left, bound) ? other : undefined;
}

function cancels(a: number, b: number, bound: Bound): boolean {
  return Math.sign(a) === -Math.sign(b) && !isBeyond(a + b, Math.max(Math.abs(a), Math.abs(b)), bound);
}

const refsMax = 5;

function driftRow(inputs: DayInputs, one: Compared, { reasons, unexplained }: Explained): DriftRow {
  const { vendor, day, bound } = inputs;
  const { billed, ledger, group, kind } = one.cell;
  const isSettled = !counts(one, one.left, bound);
  return {
    id: one.id,
    vendor,
    day,
    kind,
    name: one.cell.model,
    model: qualified(vendor, one.cell),
    provider_key_ids: JSON.stringify(group.keys),
    refs: JSON.stringify([...billed.refs.values()].slice(0, refsMax)),
    billed: billed.cost ?? null,
    ledger: ledger.cost,
    drift: one.drift,
    adjusted: one.adjusted,
    billed_tokens: billed.tokens === undefined ? null : JSON.stringify(billed.tokens),
    ledger_tokens: JSON.stringify(ledger.requests === 0 ? noTokens : ledger.tokens),
    billed_requests: billed.requests ?? null,
    ledger_requests: ledger.requests,
    reasons: JSON.stringify(reasons),
    unexplained,
    state: isSettled ? 'settled' : stateOf(reasons, unexplained),
  };
}

function stateOf(reasons: Explained['reasons'], unexplained: number): DriftRow['state'] {
  if (reasons.some(({ code }) => code === 'not_final')) return 'preliminary';
  return unexplained === 0 ? 'explained' : 'unexplained';
}

interface DriftKey {
  readonly vendor: BillVendor;
  readonly day: string;
  /** Id of its group. */
  readonly group: string;
  readonly model: string;
  readonly kind: BillRowKind;
}

/**
 * The id of a difference: a UUID of version 8 (RFC 9562) made from its attributes, so that every comparison gives the
 * same id.
 */
function driftId({ vendor, day, group, model, kind }: DriftKey): string {
  const digits = hash('sha256', JSON.stringify([vendor, day, group, model, kind]), 'hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}

/**
 * Moves the cost of tools, such as searches. Bills list it separately, but the ledger has it with the model that used
 * the tool. So it is moved to models whose tokens agree and whose ledger cost exceeds the bill's; the rest stays a
 * separate charge. Pure.
 */
function moveTools(analyses: readonly Analysis[]): readonly Analysis[] {
  const pools = new Map<string, number>();
  for (const { cell } of analyses) {
    if (cell.kind === 'tool' && (cell.billed.cost ?? 0) > 0)
      pools.set(cell.group.id, (pools.get(cell.group.id) ?? 0) + (cell.billed.cost ?? 0));
  }
  if (pools.size === 0) return analyses;
  const rest = new Map(pools);
  const moved = analyses.map((analysis) => takeTools(analysis, rest));
  return moved.map((analysis) => {
    const { cell } = analysis;
    const pool = pools.get(cell.group.id);
    if (cell.kind !== 'tool' || pool === undefined) return analysis;
    const share = (rest.get(cell.group.id) ?? 0) / pool;
    const cost = Math.round((cell.billed.cost ?? 0) * share);
    return { ...analysis, cell: { ...cell, billed: { ...cell.billed, cost } }, drift: cost };
  });
}

function takeTools(analysis: Analysis, rest: Map<string, number>): Analysis {
  const { cell, parts, drift } = analysis;
  const pool = rest.get(cell.group.id) ?? 0;
  if (cell.kind !== 'usage' || parts === undefined || parts.price >= 0 || pool <= 0) return analysis;
  const taken = Math.min(pool, -parts.price);
  rest.set(cell.group.id, pool - taken);
  const billed = { ...cell.billed, cost: (cell.billed.cost ?? 0) + taken };
  return {
    ...analysis,
    cell: { ...cell, billed },
    drift: drift + taken,
    parts: { ...parts, price: parts.price + taken },
  };
}
