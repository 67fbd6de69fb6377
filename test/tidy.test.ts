// Checks that no linter makes: unused files, tests that do not run, and paths of a developer's machine. scripts/docs.ts
// checks that error codes, metrics and settings are documented.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { projectRoot } from './support/process.ts';

const files = globSync('**/*', { cwd: projectRoot, withFileTypes: true, exclude: isForeign })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(projectRoot.length));
const texts = new Map<string, string>();
/** Reads each file once, because some checks look at every file for every other. */
const read = (file: string): string => {
  const text = texts.get(file) ?? readFileSync(join(projectRoot, file), 'utf8');
  texts.set(file, text);
  return text;
};
const sources = files.filter((file) => /\.(ts|mjs)$/.test(file));

function isForeign(entry: { name: string }): boolean {
  return ['node_modules', '.git', 'data', 'dist', 'coverage', 'generated', 'results'].includes(entry.name);
}

/** The files that a file imports, in any form of import. */
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

describe('source files', () => {
  const scripts = Object.values(manifest.scripts).flatMap((script) => script.match(/[\w./-]+\.(?:ts|mjs)\b/g) ?? []);
  const isTest = (file: string) => file.endsWith('.test.ts') || file === 'vitest.config.ts';
  // Programs that tests start, vitest's own set-up, and programs whose first lines document how to run them by hand.
  const startedByTests = new Set(
    sources
      .filter(isTest)
      .flatMap((test) => [...read(test).matchAll(/startNode\(\['([^']+)'/g)].map(([, file]) => file)),
  );
  const isStarted = (file: string) =>
    startedByTests.has(file) || read('vitest.config.ts').includes(`'${file}'`) || read(file).includes(`node ${file}`);
  const started = sources.filter(isStarted);

  it('all files named in package.json exist', () => {
    expect(scripts.filter((file) => !sources.includes(file) && !file.startsWith('node_modules/'))).toEqual([]);
  });

  it('each file of the programs is reached from an entry point', () => {
    const own =
      /^(catalog|common|gatewayctl|guardrails|injector|proto|proxy|control-plane|simulator|quickstart|scripts)\//;
    const reached = reachedFrom([...scripts, ...started.filter((file) => own.test(file))]);
    expect(sources.filter((file) => own.test(file) && !reached.has(file))).toEqual([]);
  });

  // JSON.parse misreads some names: see common/json-names.ts.
  it('files that read JSON from outside use common/json.ts', () => {
    const readers = sources.filter(
      (file) => /^(common|guardrails|injector|keeper|proto|proxy)\//.test(file) && read(file).includes('JSON.parse('),
    );
    expect(readers.toSorted((a, b) => a.localeCompare(b))).toEqual(
      [
        // Lines that control planes have written and signed.
        'common/audit-anchor.ts',
        // Single strings.
        ...['common/exact-json.ts', 'common/json-names.ts'],
        'common/json.ts',
        'proto/json/scan.ts',
        // Text that the gateway itself has written: signed, sealed or in its own database.
        'common/json-shape.ts',
        // Response summaries that the egress gateway has written.
        'proxy/forward/response-summary.ts',
      ].toSorted((a, b) => a.localeCompare(b)),
    );
  });

  it('each file of the tests is reached from a test', () => {
    const reached = reachedFrom([...sources.filter(isTest), ...scripts, ...started]);
    expect(sources.filter((file) => file.startsWith('test/') && !reached.has(file))).toEqual([]);
  });
});

describe('numbers of callers and vendors', () => {
  const readers = sources.filter((file) =>
    /^proxy\/(conversation|formats|models|providers|guardrails|pricing)\//.test(file),
  );

  it('are checked with common/exact-number.ts, because typeof misses exactly carried numbers', () => {
    const byType = /typeof [^=\n]+[!=]== 'number'|JSON\.parse\(/;
    expect(readers.length).toBeGreaterThan(100);
    expect(readers.filter((file) => byType.test(read(file)))).toEqual([]);
  });
});

describe('tests', () => {
  it('all tests run: none is skipped, run alone, expected to fail or left for later', () => {
    const evasion = /\b(?:it|test|describe)(?:\.\w+)*\.(?:only|skip|skipIf|runIf|todo|fails)\b|\bskip\(\)/;
    expect(sources.filter((file) => file.startsWith('test/') && evasion.test(read(file)))).toEqual([]);
  });
});

describe('paths and hosts of a developer’s machine', () => {
  const text = files.filter((file) => !/\.(bin|png|ico|woff2)$/.test(file));

  it('no file contains a path of a home directory', () => {
    const path = /(?<![\w.~*@}-])[/](?:home|Users|root)[/]\w/;
    expect(text.filter((file) => path.test(read(file)))).toEqual([]);
  });

  it('the lockfile and npm settings name no registry host', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
    expect(read('.npmrc')).not.toMatch(/registry\s*=\s*http/);
  });
});
