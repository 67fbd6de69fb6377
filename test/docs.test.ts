// The documentation pages point to links, headings, paths and npm commands that exist; comments name files that exist;
// the glossary's table can be counted by a program.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { projectRoot } from './support/process.ts';

const foreign = ['node_modules', '.git', 'data', 'dist', 'coverage'];
const isForeign = (entry: { name: string }) => foreign.includes(entry.name);
const files = globSync('**/*', { cwd: projectRoot, withFileTypes: true, exclude: isForeign }).map((entry) =>
  join(entry.parentPath, entry.name).slice(projectRoot.length),
);
const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/', 1)[0]));
const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

/** The changelog and benchmark results keep the paths of their time. */
const isHistory = (file: string) => file === 'CHANGELOG.md' || file.startsWith('bench/results/');
const pages = files.filter((file) => file.endsWith('.md') && !isHistory(file));

const blocks = /^```.*?^```$/gms;
const spans = /`[^`\n]+`/g;

function all(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([whole, part]) => part ?? whole);
}

/** Applies `find` to each page and returns the results by page, without pages that have none. */
function byPage(find: (text: string, page: string) => readonly string[]): Record<string, readonly string[]> {
  const found = pages.map((page) => [page, find(read(page), page)] as const);
  return Object.fromEntries(found.filter(([, list]) => list.length > 0));
}

/** The anchor that GitHub makes of a heading. */
function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
}

function anchorsOf(page: string): readonly string[] {
  return all(read(page).replaceAll(blocks, ''), /^#{1,6} (.+)$/gm).map(anchorOf);
}

function isBroken(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#', 2);
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(projectRoot, target))) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

/** A path with `*` exists if it matches at least one file; a path with `<…>` is a pattern for the reader. */
function isThere(path: string): boolean {
  if (/[<>…{}]/.test(path)) return true;
  if (path.includes('*')) return globSync(path, { cwd: projectRoot }).length > 0;
  return existsSync(join(projectRoot, path));
}

describe('documentation pages', () => {
  it('link only to files and headings that exist', () => {
    const links = (text: string) => all(text.replaceAll(blocks, '').replaceAll(spans, ''), /\]\(([^)\s]+)\)/g);
    const broken = byPage((text, page) => links(text).filter((link) => !/^[a-z]+:/.test(link) && isBroken(link, page)));
    expect(broken).toEqual({});
  });

  it('name only repository paths that exist', () => {
    const missing = byPage((text) =>
      all(text.replaceAll(blocks, ''), /`([\w.@-]+\/[^\s`:#]*)`/g).filter(
        (path) => folders.has(path.split('/', 1)[0]) && !isThere(path),
      ),
    );
    expect(missing).toEqual({});
  });

  it('name only existing files in commands', () => {
    const commands = (text: string) =>
      [...all(text, blocks), ...all(text, spans).filter((span) => span.includes(' '))].join('\n');
    const missing = byPage((text) =>
      all(commands(text), /(?<![\w./-])(?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|sh)\b/g).filter(
        (path) => folders.has(path.split('/', 1)[0]) && !isThere(path),
      ),
    );
    expect(missing).toEqual({});
  });

  it('name only npm commands that exist', () => {
    const known = [...Object.keys(manifest.scripts), 'install', 'ci'];
    const unknown = byPage((text) =>
      all(
        [...all(text, blocks), ...all(text, spans)].join('\n'),
        /\bnpm (?:run )?(?:-s |--silent )?([a-z][\w:-]*)/g,
      ).filter((command) => !known.includes(command)),
    );
    expect(unknown).toEqual({});
  });
});

describe('comments', () => {
  it('comments name only files that exist', () => {
    const sources = files.filter((file) => /\.(ts|mjs)$/.test(file) && !file.includes('/generated/'));
    const exists = (path: string) => files.some((file) => file === path || file.endsWith(`/${path}`));
    const missing = sources.flatMap((file) =>
      all(read(file), /^\s*(?:\/\/|\/?\*)(.*)$/gm)
        .flatMap((comment) => all(comment, /(?<![\w./@:-])((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs))\b/g))
        .filter((path) => !exists(path))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});
