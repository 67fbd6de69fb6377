// The bill of materials of a bundle, as CycloneDX 1.6 in JSON (https://cyclonedx.org/docs/1.6/json/). The same sources
// give the same bytes, so it has neither a time nor a random serial number; both are optional.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spdxExpression } from './licence-rules.ts';
import type { ShippedPackage } from './shipped.ts';

export const sbomFile = 'sbom.cdx.json';

export interface Described {
  readonly program: string;
  readonly version: string;
  readonly packages: readonly ShippedPackage[];
  /** Folders of the program's direct dependencies. */
  readonly requested: readonly string[];
}

export function sbomOf({ program, version, packages, requested }: Described): string {
  const own = `pkg:generic/model-gateway/${program}@${version}`;
  const references = new Map(packages.map((one) => [one.folder, referenceOf(one)]));
  const referenced = (folders: readonly string[]) => folders.flatMap((folder) => references.get(folder) ?? []);
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        group: 'model-gateway',
        name: program,
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        purl: own,
      },
    },
    components: packages.map(componentOf),
    dependencies: [
      { ref: own, dependsOn: referenced(requested) },
      ...packages.map((one) => ({ ref: referenceOf(one), dependsOn: referenced(one.dependsOn) })),
    ],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function componentOf(one: ShippedPackage) {
  const { name, version, licence, sha512 } = one;
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: 'library',
    'bom-ref': referenceOf(one),
    ...(group !== undefined && { group }),
    name: short,
    version,
    scope: 'required',
    ...(sha512 !== undefined && { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    ...(licence !== undefined && { licenses: [licenceOf(licence)] }),
    purl: purlOf(one),
    properties: [{ name: 'cdx:npm:package:path', value: `node_modules/${one.folder}` }],
  };
}

function licenceOf(licence: string) {
  const expression = spdxExpression(licence);
  return / (OR|AND|WITH) /.test(expression) ? { expression } : { license: { id: expression } };
}

/** https://github.com/package-url/purl-spec: the at sign of a scope is escaped. */
function purlOf({ name, version }: Pick<ShippedPackage, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Includes the folder if needed, because two folders may contain the same version. */
function referenceOf(one: ShippedPackage): string {
  return one.folder === one.name ? purlOf(one) : `${purlOf(one)}#${one.folder}`;
}

/** A component of a shipped SBOM. */
export interface Component {
  readonly program: string;
  readonly name: string;
  readonly version: string;
  /** SPDX expression; undefined: unknown. */
  readonly licence: string | undefined;
}

/** The components of all SBOMs below a folder. @throws Error if there is none, or one cannot be read */
export function readComponents(folder: string): readonly Component[] {
  const files = globSync(`**/${sbomFile}`, { cwd: folder }).sort();
  if (files.length === 0) throw new Error(`${folder} contains no ${sbomFile}: run \`npm run build\` first`);
  return files.flatMap((file) => componentsIn(readFileSync(join(folder, file), 'utf8'), file));
}

interface ReadSbom {
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly {
      readonly license?: { readonly id: string };
      readonly expression?: string;
    }[];
  }[];
}

function componentsIn(text: string, file: string): readonly Component[] {
  try {
    const { metadata, components } = JSON.parse(text) as ReadSbom;
    return components.map(({ group, name, version, licenses = [] }) => ({
      program: metadata.component.name,
      name: group === undefined ? name : `${group}/${name}`,
      version,
      licence: licenses[0]?.expression ?? licenses[0]?.license?.id,
    }));
  } catch (cause) {
    throw new Error(`${file} is no SBOM that this project has written`, { cause });
  }
}
