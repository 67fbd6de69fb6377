// The packages that a program ships: those in its bundle, not all installed ones. Their data comes from the installed
// packages and from the lockfile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ShippedPackage {
  /** Its folder in node_modules; two versions of a package have different folders. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** From its package.json, usually an SPDX expression; undefined: it names none. */
  readonly licence: string | undefined;
  /** SHA-512 of its archive in hexadecimal, which `npm ci` has verified; undefined: the lockfile has none. */
  readonly sha512: string | undefined;
  /** Folders of its dependencies that are shipped. */
  readonly dependsOn: readonly string[];
}

/** @param folders from bundledPackages. @throws Error for a package that is not installed */
export function shippedPackages(root: string, folders: readonly string[]): readonly ShippedPackage[] {
  const lock = readJson(join(root, 'package-lock.json'));
  const locked = objectIn(lock, 'packages');
  const shipped = new Set(folders);
  return folders.map((folder) => {
    const manifest = readJson(join(root, 'node_modules', folder, 'package.json'));
    const { name, version, license } = manifest;
    const requested = Object.keys({
      ...objectIn(manifest, 'dependencies'),
      ...objectIn(manifest, 'peerDependencies'),
    });
    const { integrity } = objectIn(locked, `node_modules/${folder}`);
    return {
      folder,
      name: String(name),
      version: String(version),
      licence: typeof license === 'string' ? license : undefined,
      sha512: sha512Of(integrity),
      dependsOn: requested.flatMap((dependency) => resolve(folder, dependency, shipped) ?? []).sort(),
    };
  });
}

/**
 * The same from the lockfile alone, where the packages are not installed: such as the console's in a build of an image.
 * @throws Error for a package that is not in it
 */
export function lockedPackages(root: string, folders: readonly string[]): readonly ShippedPackage[] {
  const locked = objectIn(readJson(join(root, 'package-lock.json')), 'packages');
  const shipped = new Set(folders);
  return folders.map((folder) => {
    const entry = objectIn(locked, `node_modules/${folder}`);
    const { version, license, integrity } = entry;
    if (typeof version !== 'string') throw new Error(`${root} has no ${folder} in its lockfile`);
    const requested = Object.keys({ ...objectIn(entry, 'dependencies'), ...objectIn(entry, 'peerDependencies') });
    return {
      ...{ folder, name: folder, version },
      licence: typeof license === 'string' ? license : undefined,
      sha512: sha512Of(integrity),
      dependsOn: requested.flatMap((dependency) => resolve(folder, dependency, shipped) ?? []).sort(),
    };
  });
}

/** The project's direct dependencies that are shipped. */
export function requestedByProject(root: string, folders: readonly string[]): readonly string[] {
  const manifest = readJson(join(root, 'package.json'));
  const requested = { ...objectIn(manifest, 'dependencies'), ...objectIn(manifest, 'devDependencies') };
  return folders.filter((folder) => Object.hasOwn(requested, folder));
}

/** Resolves like Node: the package's own node_modules first, then further up. */
function resolve(from: string, name: string, shipped: ReadonlySet<string>): string | undefined {
  for (let folder = from; ; ) {
    const own = `${folder}/node_modules/${name}`;
    if (shipped.has(own)) return own;
    const above = folder.lastIndexOf('/node_modules/');
    if (above < 0) return shipped.has(name) ? name : undefined;
    folder = folder.slice(0, above);
  }
}

function sha512Of(integrity: unknown): string | undefined {
  const encoded = typeof integrity === 'string' ? /(?:^| )sha512-(\S+)/.exec(integrity)?.[1] : undefined;
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('hex');
}

type Json = Readonly<Record<string, unknown>>;

function readJson(file: string): Json {
  return JSON.parse(readFileSync(file, 'utf8')) as Json;
}

function objectIn(json: Json, name: string): Json {
  const value = json[name];
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
