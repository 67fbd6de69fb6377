// Bills of materials and licences of shipped programs: a program is really built, and the files beside its bundle are
// compared with it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { type Bundle, buildProgram } from '../../../../scripts/build.ts';
import { assertAllowedLicences, isAllowedLicence, spdxExpression } from '../../../../scripts/release/licence-rules.ts';
import { readComponents } from '../../../../scripts/release/sbom.ts';
import { lockedPackages, shippedPackages } from '../../../../scripts/release/shipped.ts';

/** The part of CycloneDX 1.6 that the test reads. */
interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly hashes: readonly { readonly content: string }[];
  readonly purl: string;
}

let folder: string;
let bundle: Bundle;
let sbom: Sbom;

const sbomText = () => readFileSync(join(folder, 'gatewayctl/sbom.cdx.json'), 'utf8');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  bundle = await buildProgram('gatewayctl', folder);
  sbom = JSON.parse(sbomText());
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the bill of materials', () => {
  it('is a CycloneDX document of the program at its version', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    expect(sbom.metadata.component).toMatchObject({ name: 'gatewayctl', version: manifest.version });
  });

  it('is the same from the lockfile alone, where packages are not installed', () => {
    const root = join(import.meta.dirname, '../../../..');
    expect(lockedPackages(root, bundle.packages)).toEqual(shippedPackages(root, bundle.packages));
    const page = lockedPackages(join(root, 'console'), ['react', 'react-dom', 'uplot']);
    expect(page.map(({ sha512 = '' }) => sha512.length)).toEqual([128, 128, 128]);
    expect(() => assertAllowedLicences('console', page)).not.toThrow();
    expect(() => lockedPackages(root, ['no-such-package'])).toThrow('no-such-package');
  });

  it('lists bundled packages, and not packages that are only installed', () => {
    const names = readComponents(folder).map(({ name }) => name);
    expect(names).toHaveLength(bundle.packages.length);
    expect(names).toEqual(expect.arrayContaining(['commander', '@grpc/grpc-js']));
    for (const absent of ['vitest', 'typescript', 'pg', 'esbuild']) expect(names).not.toContain(absent);
  });

  it('has version, licence, digest and purl of each package', () => {
    for (const component of sbom.components) {
      expect(component).toMatchObject({ type: 'library', licenses: [expect.any(Object)] });
      expect(component.hashes[0]?.content, component.name).toMatch(/^[0-9a-f]{128}$/);
      expect(component.purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/);
    }
    const commander = sbom.components.find(({ name }) => name === 'commander');
    expect(commander).toMatchObject({
      ...{ version: manifest.dependencies.commander, licenses: [{ license: { id: 'MIT' } }] },
      purl: `pkg:npm/commander@${manifest.dependencies.commander}`,
    });
  });

  it('contains the dependencies, through which every package is reached from the program', () => {
    const all = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const visit = (ref: string) => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of all.get(ref) ?? []) visit(next);
    };
    visit(sbom.metadata.component['bom-ref']);
    const references = sbom.components.map((component) => component['bom-ref']);
    expect(references.filter((reference) => !reached.has(reference))).toEqual([]);
    expect(new Set(references).size).toBe(references.length);
  });

  it('has the same bytes for the same sources', async () => {
    const before = sbomText();
    await buildProgram('gatewayctl', folder);
    expect(sbomText()).toBe(before);
  });
});

describe('licences of packages', () => {
  it('are allowed for shipped packages, and their texts are in the file beside the bundle', () => {
    expect(readComponents(folder).filter(({ licence }) => !isAllowedLicence(licence))).toEqual([]);
    const texts = readFileSync(join(folder, 'gatewayctl/licences.txt'), 'utf8');
    for (const name of bundle.packages) expect(texts).toContain(name.replace(/^.*node_modules\//, ''));
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT or MPL-2.0', true],
    ['MIT AND Apache-2.0', true],
    ['MIT AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['MIT OR (GPL-3.0-only AND MIT)', true],
    ['(MIT AND GPL-3.0-only) OR GPL-2.0-only', false],
    ['UNLICENSED', false],
    [undefined, false],
  ])('%s is allowed: %s', (licence, expected) => {
    expect(isAllowedLicence(licence)).toBe(expected);
  });

  it('are written in the form of SPDX', () => {
    expect(spdxExpression('(MIT or MPL-2.0)')).toBe('MIT OR MPL-2.0');
  });

  it('that are not allowed fail the build', () => {
    const packages = [
      { name: 'good', licence: 'MIT' },
      { name: 'bad', licence: 'GPL-3.0-only' },
      { name: 'silent', licence: undefined },
    ];
    expect(() => assertAllowedLicences('proxy', packages)).toThrow(
      'the bundle of proxy contains bad (GPL-3.0-only), silent (no licence)',
    );
    expect(() => assertAllowedLicences('proxy', packages.slice(0, 1))).not.toThrow();
  });
});

it('NOTICE names the files beside each bundle', () => {
  const notice = readFileSync(join(import.meta.dirname, '../../../../NOTICE'), 'utf8');
  for (const file of ['licences.txt', 'sbom.cdx.json']) {
    expect(notice).toContain(file);
    expect(existsSync(join(folder, 'gatewayctl', file))).toBe(true);
  }
});
