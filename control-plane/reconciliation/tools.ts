// Searches and the like: bills show them apart, the ledger has them with the model that made them. They are moved to the models whose
// tokens agree and whose cost is above the bill's by as much; what is left stays a charge of its own. Pure.
import type { Analysis } from './analysis.ts';

export function moveTools(analyses: readonly Analysis[]): readonly Analysis[] {
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
