// What no linter sees: files that nothing uses, tests that do not run, traces of the machine someone worked on. That error
// codes, metrics and settings are documented is the check of scripts/docs.ts.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { projectRoot } from './support/process.ts';

const files = globSync('**/*', { cwd: projectRoot, withFileTypes: true, exclude: isForeign })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length));
const texts = new Map<string, string>();
/** Once for each file: some checks look at every file for every other. */
const read = (file: string): string => {
  const text = texts.get(file) ?? readFileSync(join(projectRoot, file), 'utf8');
  texts.set(file, text);
  return text;
};
const sources = files.filter((file) => /\.(ts|mjs)$/.test(file));

function isForeign(entry: { name: string }): boolean {
  return ['node_modules', '.git', 'data', 'dist', 'coverage', 'generated', 'results'].includes(entry.name);
}

/** Files that the file imports, in any form. */
function importsOf(file: string): readonly string[] {
  const specifiers = read(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g);
  return [...specifiers].map(([, specifier = '']) => normalize(join(dirname(file), specifier)));
}

function reachedFrom(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  for (const file of reached) {
    if (sources.includes(file)) for (const imported of importsOf(file)) reached.add(imported);
  }
  return reached;
}

describe('files', () => {
  const scripts = Object.values(manifest.scripts).flatMap(
    (script) => script.match(/[\w./-]+\.(?:ts|mjs)\b/g) ?? [],
  );
  const isTest = (file: string) => file.endsWith('.test.ts') || file === 'vitest.config.ts';
  // Programs that tests start, vitest's own set-up, and what is run by hand and says so in its first lines.
  const startedByTests = new Set(
    sources
      .filter(isTest)
      .flatMap((test) => [...read(test).matchAll(/startNode\(\['([^']+)'/g)].map(([, file]) => file)),
  );
  const isStarted = (file: string) =>
    startedByTests.has(file) ||
    read('vitest.config.ts').includes(`'${file}'`) ||
    read(file).includes(`node ${file}`);
  const started = sources.filter(isStarted);

  it('named in package.json are there', () => {
    expect(scripts.filter((file) => !sources.includes(file) && !file.startsWith('node_modules/'))).toEqual(
      [],
    );
  });

  it('of the programs are all reached from an entry', () => {
    const own =
      /^(catalog|common|gatewayctl|guardrails|injector|proto|proxy|control-plane|simulator|quickstart|scripts)\//;
    const reached = reachedFrom([...scripts, ...started.filter((file) => own.test(file))]);
    expect(sources.filter((file) => own.test(file) && !reached.has(file))).toEqual([]);
  });

  // JSON.parse misreads some names: see common/json-names.ts.
  it('that read JSON from outside do so by common/json.ts', () => {
    const readers = sources.filter(
      (file) =>
        /^(common|guardrails|injector|keeper|proto|proxy)\//.test(file) && read(file).includes('JSON.parse('),
    );
    expect(readers.toSorted((a, b) => a.localeCompare(b))).toEqual(
      [
        // Lines that control planes have written and signed.
        'common/audit-anchor.ts',
        // Single strings.
        ...['common/exact-json.ts', 'common/json-names.ts'],
        'common/json.ts',
        'proto/json/scan.ts',
        // What the gateway itself has written: signed, sealed or in its own database.
        'common/json-shape.ts',
        // The egress gateway's own words.
        'proxy/forward/response-summary.ts',
      ].toSorted((a, b) => a.localeCompare(b)),
    );
  });

  it('of the tests are all reached from a test', () => {
    const reached = reachedFrom([...sources.filter(isTest), ...scripts, ...started]);
    expect(sources.filter((file) => file.startsWith('test/') && !reached.has(file))).toEqual([]);
  });
});

describe('numbers that callers and vendors write', () => {
  const readers = sources.filter((file) =>
    /^proxy\/(conversation|formats|models|providers|guardrails|pricing)\//.test(file),
  );

  it('are asked of common/exact-number.ts: typeof does not see those that are carried exactly', () => {
    const byType = /typeof [^=\n]+[!=]== 'number'|JSON\.parse\(/;
    expect(readers.length).toBeGreaterThan(100);
    expect(readers.filter((file) => byType.test(read(file)))).toEqual([]);
  });
});

describe('tests', () => {
  it('all run: none is skipped, singled out, expected to fail or left for later', () => {
    const evasion = /\b(?:it|test|describe)(?:\.\w+)*\.(?:only|skip|skipIf|runIf|todo|fails)\b|\bskip\(\)/;
    expect(sources.filter((file) => file.startsWith('test/') && evasion.test(read(file)))).toEqual([]);
  });
});

describe('nothing of a machine', () => {
  const text = files.filter((file) => !/\.(bin|png|ico|woff2)$/.test(file));

  it('stands in a path', () => {
    const path = /(?<![\w.~*@}-])[/](?:home|Users|root)[/]\w/;
    expect(text.filter((file) => path.test(read(file)))).toEqual([]);
  });

  it('stands in the lockfile or npm settings: they name packages, never the host they came from', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
    expect(read('.npmrc')).not.toMatch(/registry\s*=\s*http/);
  });
});
