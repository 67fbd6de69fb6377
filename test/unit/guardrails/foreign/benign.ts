// Text from outside this project, without secrets or personal data except what its authors left there: READMEs, sources
// and lock files of the installed packages, and part and order numbers that look like ids of persons.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../support/access/random.ts';
import { written } from './written.ts';

export interface BenignText {
  readonly what: string;
  readonly file: string;
  readonly text: string;
}

/** The kinds of files in packages, with the share in megabytes of each. */
const kinds: readonly (readonly [what: string, file: RegExp, share: number])[] = [
  ['READMEs', /\.md$/, 0.3],
  ['TypeScript', /\.d\.ts$/, 0.2],
  ['JavaScript', /\.(?:js|mjs|cjs)$/, 0.3],
  ['JSON', /\.json$/, 0.1],
];

const fileBytesMax = 60_000;
const piecesOfFiles = 12;

/** The texts depend on the installed packages only. @param megabytes the most to return */
export function benignTexts(projectRoot: string, megabytes: number): readonly BenignText[] {
  const root = join(projectRoot, 'node_modules');
  const installed = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => !/(?:^|\/)\./.test(file))
    .sort();
  const texts = kinds.flatMap(([what, named, share]) => {
    const files = installed.filter((file) => named.test(file));
    return upTo(spread(files), { what, root, bytesMax: megabytes * share * 1e6 });
  });
  const lock = readFileSync(join(projectRoot, 'package-lock.json'), 'utf8').slice(0, megabytes * 1e5);
  return [...texts, { what: 'lock files', file: 'package-lock.json', text: lock }];
}

/** Reorders the files so that neighbours come from distant packages, and each package contributes some. */
function spread(files: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(files.length / piecesOfFiles / 8));
  return files.map((_, index) => files[(index * (step * piecesOfFiles + 1)) % files.length] ?? '');
}

interface BenignMatch {
  readonly what: string;
  readonly root: string;
  readonly bytesMax: number;
}

function upTo(files: readonly string[], { what, root, bytesMax }: BenignMatch): readonly BenignText[] {
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

/** Returns lines of stock lists and orders. */
export function partNumbers(random: Random, count: number): readonly string[] {
  return Array.from({ length: count }, () => {
    const word = random.pick(words);
    return `Replace the seal (${word} ${written(random.pick(numbers), random)}), 4 pieces, before the next start.`;
  });
}
