// What the built page was made from, as one hash: the sources and the lockfile. It runs on any Node from
// version 18, before packages are installed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const files = ['index.html', 'package.json', 'package-lock.json', 'build.mjs', 'digest.mjs'];

/** @returns the hash that the built page should have, in hexadecimal */
export function sourceDigest() {
  const hash = createHash('sha256');
  for (const name of [...files, ...sourcesIn('src').sort()]) {
    hash.update(`${name}\0`).update(readFileSync(join(here, name)));
  }
  return hash.digest('hex');
}

function sourcesIn(folder) {
  return readdirSync(join(here, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sourcesIn(name);
    return /\.(tsx?|css)$/.test(name) ? [name] : [];
  });
}

/** @returns the hash that the built page has; empty if there is none */
export function builtDigest() {
  try {
    return readFileSync(join(here, 'dist/.built'), 'utf8');
  } catch {
    return '';
  }
}
