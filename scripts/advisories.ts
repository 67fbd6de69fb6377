// `npm run advisories -- --from <folder or file>`: compares downloaded advisories with the shipped packages. It makes
// no network requests, so it also runs offline, and discloses nothing. Exit codes: 1 = a match, 2 = it could not be
// checked.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findingsOf, readAdvisories } from './release/osv.ts';
import { readComponents } from './release/sbom.ts';

export interface Checked {
  readonly code: 0 | 1 | 2;
  readonly lines: readonly string[];
}

const usage = 'npm run advisories -- --from <folder or file of OSV advisories> [--sbom <folder>]';

export function checkAdvisories(args: readonly string[]): Checked {
  try {
    const options = { from: { type: 'string' }, sbom: { type: 'string' } } as const;
    const { from, sbom } = parseArgs({ args: [...args], options }).values;
    if (from === undefined) return { code: 2, lines: [usage] };
    const components = readComponents(sbom ?? join(import.meta.dirname, '../dist'));
    const advisories = readAdvisories(from);
    const findings = findingsOf(advisories, components);
    const lines = findings.map(({ id, name, version, programs, fixed, summary }) => {
      const mended = fixed.length === 0 ? 'no version without it is known' : `fixed in ${fixed.join(', ')}`;
      return `${id}: ${name} ${version} in ${programs.join(', ')}; ${mended}. ${summary}`.trim();
    });
    const against = `${advisories.length} advisories, ${components.length} components`;
    return findings.length === 0
      ? { code: 0, lines: [`nothing that is shipped is affected: ${against}`] }
      : { code: 1, lines: [...lines, `${findings.length} findings: ${against}`] };
  } catch (error) {
    return { code: 2, lines: [error instanceof Error ? error.message : String(error), usage] };
  }
}

if (import.meta.main) {
  const { code, lines } = checkAdvisories(process.argv.slice(2));
  for (const line of lines) (code === 0 ? console.log : console.error)(line);
  process.exitCode = code;
}
