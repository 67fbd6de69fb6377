// `npm run licences [-- --sbom <folder>]`: lists each shipped package with its licence. Exit code 1: a licence is
// missing or not allowed.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isAllowedLicence } from './release/licence-rules.ts';
import { readComponents } from './release/sbom.ts';

if (import.meta.main) {
  const { sbom } = parseArgs({ options: { sbom: { type: 'string' } } }).values;
  const components = readComponents(sbom ?? join(import.meta.dirname, '../dist'));
  const byPackage = Map.groupBy(components, ({ name, version }) => `${name} ${version}`);
  for (const [name, ones] of [...byPackage].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const licence = ones[0]?.licence;
    const isAllowed = isAllowedLicence(licence);
    const programs = [...new Set(ones.map(({ program }) => program))].join(', ');
    console.log(`${name}  ${licence ?? 'none'}  ${programs}${isAllowed ? '' : '  NOT ALLOWED'}`);
    if (!isAllowed) process.exitCode = 1;
  }
}
