// Compares made-up security advisories with the shipped packages: version ranges at their ends, and advisories that do
// not apply.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkAdvisories } from '../../../../scripts/advisories.ts';
import { findingsOf } from '../../../../scripts/release/osv.ts';
import { compareVersions } from '../../../../scripts/release/versions.ts';

const component = { program: 'proxy', name: '@made/up', version: '2.1.0', licence: 'MIT' };
type Event = Readonly<Record<'introduced' | 'fixed' | 'last_affected', string>>;

function advisory(affected: object, more: object = {}) {
  const made = { package: { ecosystem: 'npm', name: '@made/up' }, ...affected };
  return { id: 'MADE-2026-1', summary: 'made up', affected: [made], ...more };
}

const range = (...events: readonly Partial<Event>[]) => ({ ranges: [{ type: 'SEMVER', events }] });
const isFound = (made: object, version: string) =>
  findingsOf([made as Record<string, unknown>], [{ ...component, version }]).length > 0;

describe('a version range of an advisory', () => {
  it.each([
    [range({ introduced: '0' }), '2.1.0', true],
    [range({ introduced: '0' }), '0.0.0-alpha', true],
    [range({ introduced: '2.0.0' }, { fixed: '2.1.0' }), '1.9.9', false],
    [range({ introduced: '2.0.0' }, { fixed: '2.1.0' }), '2.0.0', true],
    [range({ introduced: '2.0.0' }, { fixed: '2.1.0' }), '2.1.0-rc.1', true],
    [range({ introduced: '2.0.0' }, { fixed: '2.1.0' }), '2.1.0', false],
    [range({ introduced: '2.0.0' }, { last_affected: '2.1.0' }), '2.1.0', true],
    [range({ introduced: '2.0.0' }, { last_affected: '2.1.0' }), '2.1.1', false],
    [range({ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }, { fixed: '2.2.0' }), '1.5.0', false],
    [range({ introduced: '0' }, { fixed: '1.0.0' }, { introduced: '2.0.0' }, { fixed: '2.2.0' }), '2.1.0', true],
    [range({ fixed: '2.2.0' }, { introduced: '2.0.0' }), '2.1.0', true],
    [range({ introduced: '10.0.0' }), '9.0.0', false],
  ])('%j: %s is affected: %s', (affected, version, expected) => {
    expect(isFound(advisory(affected), version)).toBe(expected);
  });

  it('that cannot be parsed counts as affected, so that a person checks it', () => {
    expect(isFound(advisory(range({ introduced: 'one' })), '2.1.0')).toBe(true);
  });
});

describe('an advisory', () => {
  it.each([
    ['lists the version', advisory({ versions: ['2.0.0', '2.1.0'] }), true],
    ['lists others', advisory({ versions: ['2.0.0'] }), false],
    ['names no version', advisory({}), true],
    ['was withdrawn', advisory(range({ introduced: '0' }), { withdrawn: '2026-11-01T00:00:00Z' }), false],
    ['is of another package', advisory({ package: { ecosystem: 'npm', name: '@made/other' } }), false],
    ['is of another ecosystem', advisory({ package: { ecosystem: 'PyPI', name: '@made/up' } }), false],
  ])('that %s applies or not', (_what, made, expected) => {
    expect(isFound(made, '2.1.0')).toBe(expected);
  });

  it('gives one result for each version, with the programs that ship it and the version that fixes it', () => {
    const twice = advisory(range({ introduced: '0' }, { fixed: '2.2.0' }));
    const found = findingsOf([twice], [component, { ...component, program: 'injector' }]);
    expect(found).toEqual([
      {
        ...{ id: 'MADE-2026-1', summary: 'made up', name: '@made/up', version: '2.1.0' },
        ...{ programs: ['injector', 'proxy'], fixed: ['2.2.0'] },
      },
    ]);
  });
});

it('versions are in the order of semver.org', () => {
  const ordered = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'].concat([
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ]);
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
  expect(compareVersions('1.0.0+build.1', '1.0.0')).toBe(0);
});

describe('the command that checks advisories', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'advisories-'));
    mkdirSync(join(folder, 'dist/proxy'), { recursive: true });
    mkdirSync(join(folder, 'osv/npm'), { recursive: true });
    const component = { type: 'library', group: '@made', name: 'up', version: '2.1.0' };
    const sbom = { metadata: { component: { name: 'proxy' } }, components: [component] };
    writeFileSync(join(folder, 'dist/proxy/sbom.cdx.json'), JSON.stringify(sbom));
    const [hit, miss] = [range({ introduced: '0' }, { fixed: '3.0.0' }), range({ introduced: '3.0.0' })];
    writeFileSync(join(folder, 'osv/npm/hit.json'), JSON.stringify(advisory(hit)));
    writeFileSync(join(folder, 'miss.json'), JSON.stringify({ vulns: [advisory(miss)] }));
    writeFileSync(join(folder, 'broken.json'), '{');
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (from: string, sbom = 'dist') =>
    checkAdvisories(['--from', join(folder, from), '--sbom', join(folder, sbom)]);

  it('exits with 1 for a match, in a folder of folders', () => {
    expect(run('osv')).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('@made/up 2.1.0 in proxy; fixed in 3.0.0'), expect.any(String)],
    });
  });

  it('exits with 0 when nothing is affected', () => {
    expect(run('miss.json')).toMatchObject({ code: 0 });
  });

  it.each([
    ['broken.json', 'dist', 'is no JSON'],
    ['missing', 'dist', 'ENOENT'],
    ['osv', 'osv', 'npm run build'],
    ['dist', 'dist', 'no advisory'],
  ])('exits with 2 when it cannot decide: %s, %s', (from, sbom, why) => {
    const { code, lines } = run(from, sbom);
    expect([code, lines.join()]).toEqual([2, expect.stringContaining(why)]);
  });

  it('exits with 2 without arguments', () => {
    expect(checkAdvisories([]).code).toBe(2);
    expect(checkAdvisories(['--form', 'x']).code).toBe(2);
  });
});
