// The result of a doctor check: one sentence, and advice if something is wrong. No sentence contains a credential.

/** In the order in which they are made and reported. */
export const checkNames = [
  'configuration',
  'name',
  'connection',
  'tls',
  'grpc',
  'token',
  'clock',
  'database',
  'proxies',
  'redis',
  'record keys',
  'versions',
  'catalog',
  'selectors',
  'proxy',
  'program',
  'certificates',
] as const;

export type CheckName = (typeof checkNames)[number];

/** Skipped: the check was impossible, because of another check's result or because the caller may not see the data. */
export type Verdict = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  readonly check: CheckName;
  readonly verdict: Verdict;
  readonly says: string;
  /** How to fix it. */
  readonly advice?: string;
}

export function ok(check: CheckName, says: string): Finding {
  return { check, verdict: 'ok', says };
}

export function warning(check: CheckName, says: string, advice: string): Finding {
  return { check, verdict: 'warning', says, advice };
}

export function failed(check: CheckName, says: string, advice: string): Finding {
  return { check, verdict: 'failed', says, advice };
}

export function skipped(check: CheckName, says: string): Finding {
  return { check, verdict: 'skipped', says };
}

const gravity = { ok: 0, skipped: 1, warning: 2, failed: 3 } as const satisfies Record<Verdict, number>;

/** The most severe result; the first one of equals. @param none the result if there is nothing to check */
export function gravest(findings: readonly Finding[], none: Finding): Finding {
  const [first = none, ...others] = findings;
  return others.reduce((worst, next) => (gravity[next.verdict] > gravity[worst.verdict] ? next : worst), first);
}

/** Lists names in a sentence: the first few, and how many more there are. */
export function listed(names: readonly string[], namesMax = 5): string {
  const reported = names.slice(0, namesMax).join(', ');
  return names.length > namesMax ? `${reported} and ${names.length - namesMax} more` : reported;
}

const [secondMs, minuteMs, hourMs, dayMs] = [1000, 60_000, 3_600_000, 86_400_000];

/** In the largest unit of which the span has at least two: "90 s", "10 min", "3 days". */
export function span(ms: number): string {
  const length = Math.abs(ms);
  if (length < 2 * secondMs) return `${Math.round(length)} ms`;
  if (length < 2 * minuteMs) return `${Math.round(length / secondMs)} s`;
  if (length < 2 * hourMs) return `${Math.round(length / minuteMs)} min`;
  if (length < 2 * dayMs) return `${Math.round(length / hourMs)} h`;
  return `${Math.floor(length / dayMs)} days`;
}
