// Maps of sums, as the models of the ledger have them.

export function refill<Value>(map: Map<string, Value>, from: ReadonlyMap<string, Value>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}

export function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}
