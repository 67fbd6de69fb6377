// The licences of a bundle's packages as one text, which is shipped with the bundle because the licences require it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param inputs files relative to the project's folder. @returns their packages' folders in node_modules, sorted */
export function bundledPackages(inputs: readonly string[]): readonly string[] {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  return [...new Set(folders.map((folder) => folder.replace(/^node_modules\//, '')))].sort();
}

/** @throws Error that names a package without a licence */
export function licencesOf(root: string, packages: readonly string[]): string {
  return packages.map((name) => licenceOf(join(root, 'node_modules', name))).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly [field: string]: unknown;
  };
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)(\.|-|$)/i.test(file));
  if (typeof license !== 'string' && files.length === 0) throw new Error(`${folder} has no licence`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${[`${name} ${version}: ${license}`, ...texts].join('\n\n')}\n`;
}
