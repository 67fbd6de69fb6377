// Text that nobody wrote for this project and that holds nothing to be found, but for what its authors left there: READMEs, sources and
// lock files of the packages that are installed, and numbers of parts and orders that look like ids of persons.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../support/access/random.ts';
import { written } from './written.ts';

export interface BenignText {
  readonly what: string;
  readonly file: string;
  readonly text: string;
}

/** What packages hold, with how much of a megabyte it is. */
const kinds: readonly (readonly [what: string, glob: string, share: number])[] = [
  ['READMEs', '**/*.md', 0.3],
  ['TypeScript', '**/*.d.ts', 0.2],
  ['JavaScript', '**/*.{js,mjs,cjs}', 0.3],
  ['JSON', '**/*.json', 0.1],
];

const fileBytesMax = 60_000;
const piecesOfFiles = 12;

/** @param megabytes at most so many: what is installed decides; the same for the same packages */
export function benignTexts(projectRoot: string, megabytes: number): readonly BenignText[] {
  const root = join(projectRoot, 'node_modules');
  const texts = kinds.flatMap(([what, glob, share]) => {
    const files = globSync(glob, { cwd: root }).sort();
    return upTo(spread(files), { what, root, bytesMax: megabytes * share * 1e6 });
  });
  const lock = readFileSync(join(projectRoot, 'package-lock.json'), 'utf8').slice(0, megabytes * 1e5);
  return [...texts, { what: 'lock files', file: 'package-lock.json', text: lock }];
}

/** Of each package some: files that stand far from each other, one behind another. */
function spread(files: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(files.length / piecesOfFiles / 8));
  return files.map((_, index) => files[(index * (step * piecesOfFiles + 1)) % files.length] ?? '');
}

interface Taken {
  readonly what: string;
  readonly root: string;
  readonly bytesMax: number;
}

function upTo(files: readonly string[], { what, root, bytesMax }: Taken): readonly BenignText[] {
  const texts: BenignText[] = [];
  let bytes = 0;
  for (const file of new Set(files)) {
    if (bytes >= bytesMax) break;
    const { size } = statSync(join(root, file));
    if (size > fileBytesMax * 10 || size === 0) continue;
    const text = readFileSync(join(root, file), 'utf8').slice(0, fileBytesMax);
    bytes += Buffer.byteLength(text);
    texts.push({ what, file, text });
  }
  return texts;
}

const numbers = ['{d3}-{d2}-{d4}', '{d3}-{d2}-{d4}', '{d3} {d2} {d4}', '{d9}', '{d3}-{d3}-{d4}'];
const words = [
  ...['part no.', 'Part number:', 'part #', 'P/N', 'SKU', 'sku:', 'item no.', 'Item', 'order', 'Order no.'],
  ...['serial no.', 'S/N', 'model', 'lot', 'batch', 'invoice', 'catalog no.', 'ref.', 'article', 'Teile-Nr.'],
];

/** Lines of stock lists and orders. */
export function partNumbers(random: Random, count: number): readonly string[] {
  return Array.from({ length: count }, () => {
    const word = random.pick(words);
    return `Replace the seal (${word} ${written(random.pick(numbers), random)}), 4 pieces, before the next start.`;
  });
}
