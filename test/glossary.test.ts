// The glossary is the law for words: this counts the left column of its first table as the table says, and allows only the paths and
// wire names that the page lists.
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './support/process.ts';

const page = 'docs/glossary.md';
const glossary = readFileSync(join(projectRoot, page), 'utf8');

interface Row {
  readonly words: readonly string[];
  readonly counted: string;
  /** Globs; undefined: everywhere. */
  readonly within: readonly string[] | undefined;
  readonly allowed: readonly string[];
}

const quoted = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text = '']) => text);
function cellsOf(heading: string): readonly string[][] {
  const [, section = ''] = glossary.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));
}

const cells = cellsOf('Words to avoid');
const rows: readonly Row[] = cells.map(([not = '', , , counted = '', allowed = '']) => ({
  words: quoted(not),
  counted: counted.replace(/ of `.*$/, ''),
  within: counted.includes(' of `') ? quoted(counted) : undefined,
  allowed: quoted(allowed),
}));
const words = new Set(rows.flatMap((row) => row.words));
/** A wire name that is such a word itself is not taken out: it needs a path. */
const wireNames = cellsOf('Wire names with an old word')
  .flatMap(([name = '']) => quoted(name.replaceAll('…', '')))
  .filter((name) => !words.has(name))
  .toSorted((a, b) => b.length - a.length)
  .map((name) => new RegExp(`(?<![A-Za-z])${RegExp.escape(name)}`, 'g'));

const history = ['CHANGELOG.md', 'bench/results/**', 'test/golden/*/**', page, 'test/glossary.test.ts'];
const foreign = ['node_modules', '.git', 'data', 'dist', 'coverage', 'generated', 'released'];
const files = globSync('**/*.{ts,mjs,md,proto,yaml,yml,lua,sh}', {
  cwd: projectRoot,
  exclude: (path) => foreign.includes(path.split('/').at(-1) ?? ''),
}).filter((file) => !history.some((glob) => matchesGlob(file, glob)));

/** `askedAt`, `asked_at` and `asked-at` are two words each. */
function wordsOf(text: string): string {
  return ` ${
    text
      .match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]/g)
      ?.join(' ')
      .toLowerCase() ?? ''
  } `;
}

/** Comments, strings and templates. Regular expressions are few and short enough to be read as code. */
const noCode = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
const title = /\b(?:describe|it|test)(?:\.\w+|<[^(]*>)*\(\s*(['`])((?:\\.|(?!\1)[\s\S])*?)\1/g;
/** A member of a package, such as `slice`, is not ours to name; our own are counted where they are declared. */
const member = /\.#?\w+/g;

const sources = files.map((file) => {
  const text = wireNames.reduce(
    (left, name) => left.replaceAll(name, ' '),
    readFileSync(join(projectRoot, file), 'utf8'),
  );
  const isCode = /\.(?:ts|mjs)$/.test(file);
  const code = isCode ? text.replaceAll(noCode, ' ').replaceAll(member, ' ') : '';
  const titles = isCode ? Array.from(text.matchAll(title), ([, , one = '']) => one) : [];
  return {
    file,
    code,
    everywhere: wordsOf(`${file} ${text}`),
    names: wordsOf([file, code, ...titles].join(' ')),
  };
});

function countOf(word: string, { code, everywhere, names }: (typeof sources)[number], counted: string): number {
  // A type that is this word and nothing else; other words count wherever a name has them.
  if (/^[A-Z]/.test(word)) return code.includes(word) ? code.split(new RegExp(`\\b${word}\\b`)).length - 1 : 0;
  const text = counted === 'everywhere' ? everywhere : names;
  return text.split(` ${word.replaceAll('-', ' ')} `).length - 1;
}

describe('the glossary', () => {
  it('has rows that a program can count', () => {
    expect(cells.length).toBeGreaterThan(30);
    for (const row of cells) {
      const [not = '', but = '', means = '', counted = '', allowed = ''] = row;
      expect(row, not).toHaveLength(5);
      expect(not).toMatch(/^`[\w -]+`(?:, `[\w -]+`)*(?: \([^`]+\))?$/);
      expect(but.length, not).toBeGreaterThan(2);
      expect(means.length, not).toBeGreaterThan(5);
      expect(counted, not).toMatch(/^(?:everywhere|in review|in names(?: of `[^`]+`(?:, `[^`]+`)*)?)$/);
      expect(allowed, not).toMatch(/^(?:–|`[^`]+`(?:, `[^`]+`)*)$/);
    }
  });

  it('has each word once', () => {
    expect(rows.flatMap((row) => row.words)).toHaveLength(words.size);
  });

  it('is read by a test that finds names, titles and prose', () => {
    expect(sources.length).toBeGreaterThan(1_000);
    const text = {
      file: 'a',
      code: 'const askedAt = Taken',
      everywhere: wordsOf('who asked'),
      names: wordsOf('askedAt'),
    };
    expect(countOf('asked', text, 'in names')).toBe(1);
    expect(countOf('asked', text, 'everywhere')).toBe(1);
    expect(countOf('Taken', text, 'in names')).toBe(1);
  });
});

describe('the code and its pages do not use', () => {
  it.each(rows.filter(({ counted }) => counted !== 'in review').map((row) => [row.words.join(', '), row] as const))(
    '%s',
    (_words, { words: avoided, counted, within, allowed }) => {
      const found = sources
        .map((source) => ({
          file: source.file,
          count: avoided.reduce((sum, word) => sum + countOf(word, source, counted), 0),
        }))
        .filter(({ count }) => count > 0)
        .filter(({ file }) => within?.some((glob) => matchesGlob(file, glob)) ?? true)
        .filter(({ file }) => !allowed.some((glob) => matchesGlob(file, glob)))
        .map(({ file, count }) => `${file}: ${count}`);
      expect(found).toEqual([]);
    },
  );
});
