// The order of npm versions (https://semver.org/#spec-item-11).

interface Version {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
}

/** @returns below 0 if the first is older, above 0 if it is newer. @throws Error for an invalid version */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parse(one), parse(other)];
  for (const [index, number] of a.numbers.entries()) {
    const difference = compareNumbers(number, b.numbers[index] ?? 0n);
    if (difference !== 0) return difference;
  }
  // A pre-release comes before its release.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [index, part] of a.prerelease.entries()) {
    const difference = comparePart(part, b.prerelease[index]);
    if (difference !== 0) return difference;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Advisories write "0" and "1.2" for 0.0.0 and 1.2.0. */
function parse(text: string): Version {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(text.trim());
  if (match === null) throw new Error(`"${text}" is no version`);
  const [, major = '0', minor = '0', patch = '0', prerelease] = match;
  return { numbers: [major, minor, patch].map(BigInt), prerelease: prerelease?.split('.') ?? [] };
}

function comparePart(one: string, other: string | undefined): number {
  if (other === undefined) return 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return compareNumbers(BigInt(one), BigInt(other));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function compareNumbers(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
