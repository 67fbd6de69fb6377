// The licences that shipped packages may have. They allow redistribution under Apache-2.0 together with their texts,
// which every bundle has in licences.txt. Any other licence fails the build until a developer has read it.

/** SPDX identifiers. */
export const allowedLicences: ReadonlySet<string> = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'MIT-0', 'Unlicense'],
]);

/** Converts a licence of package.json to SPDX syntax: operators in capitals, no parentheses around the whole. */
export function spdxExpression(licence: string): string {
  const plain = licence.trim().replace(/\s+(or|and|with)\s+/gi, (word) => ` ${word.trim().toUpperCase()} `);
  return /^\([^()]*\)$/.test(plain) ? plain.slice(1, -1).trim() : plain;
}

/** OR needs one allowed choice, AND needs all. A person must read expressions with parentheses. */
export function isAllowedLicence(licence: string | undefined): boolean {
  if (licence === undefined) return false;
  return spdxExpression(licence)
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => allowedLicences.has(one)));
}

interface Licensed {
  readonly name: string;
  readonly licence: string | undefined;
}

/** @throws Error that names each package whose licence is not allowed */
export function assertAllowedLicences(program: string, packages: readonly Licensed[]): void {
  const refused = packages.filter(({ licence }) => !isAllowedLicence(licence));
  if (refused.length === 0) return;
  const named = refused.map(({ name, licence }) => `${name} (${licence ?? 'no licence'})`).join(', ');
  throw new Error(
    `the bundle of ${program} contains ${named}: scripts/release/licence-rules.ts lists the allowed licences`,
  );
}
