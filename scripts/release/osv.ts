// Compares OSV advisories (https://ossf.github.io/osv-schema/) with the shipped packages. A version is affected if it
// is listed or in a range. A version that cannot be compared counts as affected, so that a person checks it.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './sbom.ts';
import { compareVersions } from './versions.ts';

export interface Finding {
  readonly id: string;
  readonly summary: string;
  readonly name: string;
  readonly version: string;
  /** The programs that ship it. */
  readonly programs: readonly string[];
  /** Versions with a fix; empty: none is known. */
  readonly fixed: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/**
 * @param source a file, or a folder of files: advisories, lists of them, or {"vulns": […]}. @throws Error that names
 *   the file
 */
export function readAdvisories(source: string): readonly Json[] {
  const isFolder = statSync(source).isDirectory();
  const files = isFolder ? globSync('**/*.json', { cwd: source }).map((file) => join(source, file)) : [source];
  const advisories = files.sort().flatMap((file) => advisoriesIn(file));
  if (advisories.length === 0) throw new Error(`${source} contains no advisory`);
  return advisories;
}

function advisoriesIn(file: string): readonly Json[] {
  const read = parsed(file);
  const list = Array.isArray(read) ? read : isObject(read) && Array.isArray(read.vulns) ? read.vulns : [read];
  const isAdvisory = (one: unknown): one is Json => isObject(one) && typeof one.id === 'string';
  if (!list.every(isAdvisory)) throw new Error(`${file} is no advisory in the form of OSV`);
  return list;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file} is no JSON`, { cause });
  }
}

/** In the order of their ids. */
export function findingsOf(advisories: readonly Json[], components: readonly Component[]): readonly Finding[] {
  const shipped = Map.groupBy(components, ({ name }) => name);
  const findings = advisories.flatMap((advisory) => (isInForce(advisory) ? check(advisory, shipped) : []));
  return findings.toSorted((a, b) => (`${a.id} ${a.name}` < `${b.id} ${b.name}` ? -1 : 1));
}

function isInForce({ withdrawn }: Json): boolean {
  return withdrawn === undefined || withdrawn === null;
}

function check(advisory: Json, shipped: ReadonlyMap<string, readonly Component[]>): readonly Finding[] {
  const byPackage = Map.groupBy(objects(advisory.affected), nameOf);
  return [...byPackage].flatMap(([name, affected]) => {
    const components = name === undefined ? [] : (shipped.get(name) ?? []);
    const byVersion = Map.groupBy(components, ({ version }) => version);
    const hit = [...byVersion].filter(([version]) => affected.some((one) => isAffected(one, version)));
    return hit.map(([version, ones]) => ({
      id: String(advisory.id),
      summary: String(advisory.summary ?? ''),
      name: name ?? '',
      version,
      programs: [...new Set(ones.map(({ program }) => program))].sort(),
      fixed: affected.flatMap((one) => eventsOf(one).flatMap(({ fixed }) => textOf(fixed))),
    }));
  });
}

function nameOf(affected: Json): string | undefined {
  const { ecosystem, name } = isObject(affected.package) ? affected.package : {};
  return ecosystem === 'npm' && typeof name === 'string' ? name : undefined;
}

function isAffected(affected: Json, version: string): boolean {
  const versions = Array.isArray(affected.versions) ? affected.versions : [];
  if (versions.includes(version)) return true;
  const ranges = objects(affected.ranges).filter(({ type }) => type !== 'GIT');
  // With neither versions nor ranges, all versions are affected.
  if (ranges.length === 0) return versions.length === 0;
  return ranges.some((range) => isInRange(objects(range.events), version));
}

/** Events are sorted by version; each applies from its version on. */
function isInRange(events: readonly Json[], version: string): boolean {
  try {
    const steps = events
      .filter(({ introduced }) => introduced !== '0')
      .flatMap(stepsOf)
      .toSorted((a, b) => compareVersions(a.version, b.version));
    // "0" is before every version, including pre-releases of 0.0.0.
    let affected = events.some(({ introduced }) => introduced === '0');
    for (const { version: at, affects, isAfter } of steps) {
      const distance = compareVersions(version, at);
      if (isAfter ? distance > 0 : distance >= 0) affected = affects;
    }
    return affected;
  } catch {
    return true;
  }
}

interface Step {
  readonly version: string;
  readonly affects: boolean;
  /** It applies only to later versions. */
  readonly isAfter: boolean;
}

function stepsOf({ introduced, fixed, last_affected: last }: Json): readonly Step[] {
  return [
    ...textOf(introduced).map((version) => ({ version, affects: true, isAfter: false })),
    ...textOf(fixed).map((version) => ({ version, affects: false, isAfter: false })),
    ...textOf(last).map((version) => ({ version, affects: false, isAfter: true })),
  ];
}

function eventsOf(affected: Json): readonly Json[] {
  return objects(affected.ranges).flatMap(({ type, events }) => (type === 'GIT' ? [] : objects(events)));
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
