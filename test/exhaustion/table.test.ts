// Compares the runbook's table of exhausted resources with this suite: every row needs a case, every case needs a row,
// and every alert, metric and section in the table must exist.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alertGroups } from '../../scripts/observability/alerts/index.ts';
import { projectRoot } from '../support/process.ts';

/** Row → files of its cases. */
const cases: Readonly<Record<string, readonly string[]>> = {
  'the disk of the log': ['log-disk', 'read-only'],
  'the disk of the database (SQLite)': ['database-disk'],
  'the disk of the journal': ['journal-disk', 'read-only'],
  'Redis (`maxmemory`)': ['redis-full'],
  descriptors: ['descriptors'],
  threads: ['threads'],
  memory: ['memory'],
  'DNS (its servers are silent)': ['dns'],
  randomness: ['entropy'],
  'the clock (set ahead or back)': ['clock'],
  'file systems (read-only)': ['read-only'],
};

const read = (path: string) => readFileSync(`${projectRoot}/${path}`, 'utf8');
const runbook = read('docs/runbook.md');
const rows = (/^## When something runs out\n([\s\S]*?)^## /m.exec(runbook)?.[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.slice(2, -2).split(' | '));
const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

describe("the runbook's table of exhausted resources", () => {
  it('has a row for each case, and a case for each row', () => {
    expect(rows.map(([what]) => what)).toEqual(Object.keys(cases));
    const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts'));
    const wanted = [...new Set(Object.values(cases).flat()), 'table'].map((name) => `${name}.test.ts`);
    expect(files.toSorted()).toEqual(wanted.toSorted());
  });

  it.each(rows.map((row) => [row[0], row] as const))('has text in every column for %s', (_, row) => {
    expect(row).toHaveLength(5);
    for (const cell of row) expect(cell.trim().length).toBeGreaterThan(2);
  });

  it('names only metrics, alerts and sections that exist', () => {
    const text = rows.flat().join('\n');
    const metrics = read('docs/metrics.md');
    const known = named(text, /`((?:gateway|process)_\w+)/g);
    expect(known.filter((name) => !name.startsWith('process_') && !metrics.includes(`\`${name}\``))).toEqual([]);
    const alerts = alertGroups.flatMap((group) => group.alerts.map(({ name }) => name));
    expect(named(text, /`(Gateway\w+)`/g).filter((name) => !alerts.includes(name))).toEqual([]);
    const sections = named(runbook, /^## (\S+)$/gm);
    expect(named(text, /\]\(#([\w-]+)\)/g).filter((name) => !sections.includes(name))).toEqual([]);
  });
});
