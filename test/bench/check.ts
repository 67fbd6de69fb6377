// `npm run bench -- check`: compares a short run with the committed figures, bench/results/committed.json, and fails where
// the gateway has become more expensive than the noise. The figures are ratios within one run: processor time of the
// gateway to that of the floor. `--commit` writes the file anew.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/process.ts';
import { table } from './markdown.ts';
import type { CaseResult } from './report.ts';
import type { Startup } from './startup.ts';

/** Figures by what they are of; a higher one is worse. */
export type Checked = Readonly<Record<string, number>>;

/**
 * How much higher a figure may be without a change of the code: passes of one run differ by 15 %, also on a quiet machine,
 * and starts and memory by less.
 */
const noiseOf = (name: string) => (name.startsWith('start') || name.startsWith('idle') ? 0.1 : 0.2);

export interface CheckedRow {
  readonly name: string;
  readonly committed: number | undefined;
  readonly measured: number;
  /** `new`: it is not among the committed figures. */
  readonly result: 'ok' | 'better' | 'worse' | 'new';
}

/** One row for each measured figure. A committed figure that was not measured has none. */
export function compare(committed: Checked, measured: Checked): readonly CheckedRow[] {
  return Object.entries(measured).map(([name, value]) => {
    const before = committed[name];
    return { name, committed: before, measured: value, result: resultOf(before, value, noiseOf(name)) };
  });
}

function resultOf(before: number | undefined, now: number, noise: number): CheckedRow['result'] {
  if (before === undefined) return 'new';
  // A figure that could not be measured must not pass.
  if (!(now <= before * (1 + noise))) return 'worse';
  return now < before / (1 + noise) ? 'better' : 'ok';
}

/** @throws Error if a case has no floor */
export function checkedFigures(cases: readonly CaseResult[], startup: Startup): Checked {
  const ofCases = cases.map(({ name, subjects: { gateway, floor } }) => {
    if (gateway === undefined || floor === undefined) throw new Error(`${name}: the gateway or the floor is missing`);
    return [`${name}: gateway ÷ floor`, gateway.cpuMicroseconds.median / floor.cpuMicroseconds.median] as const;
  });
  const { coldCpuMs, nodeCpuMs, idleMiB } = startup;
  const ofStart = { 'start to ready ÷ node -e 0': coldCpuMs / nodeCpuMs, 'idle proxy, MiB': idleMiB };
  return Object.fromEntries([...ofCases, ...Object.entries(ofStart)].map(([name, value]) => [name, rounded(value)]));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

const file = join(projectRoot, 'bench/results/committed.json');

/** @returns the table for a reader, and whether a figure is worse. @throws Error if no figures are committed */
export function checkAgainstCommitted(measured: Checked): { readonly text: string; readonly isWorse: boolean } {
  if (!existsSync(file)) throw new Error(`there is no ${file}; run: npm run bench -- check --commit`);
  const rows = compare(JSON.parse(readFileSync(file, 'utf8')) as Checked, measured);
  return { text: renderRows(rows), isWorse: rows.some(({ result }) => result === 'worse') };
}

export function commitFigures(measured: Checked): string {
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  return `written: ${file}`;
}

function renderRows(rows: readonly CheckedRow[]): string {
  const cells = rows.map(({ name, committed, measured, result }) => [
    name,
    committed?.toFixed(2) ?? '–',
    measured.toFixed(2),
    `${(noiseOf(name) * 100).toFixed(0)} %`,
    result,
  ]);
  return table(['processor time, and memory', 'committed', 'measured', 'noise', 'result'], cells).join('\n');
}
