// Licences that what is shipped may have. They allow redistribution under Apache-2.0 with their texts beside it, which every bundle has
// in licences.txt; any other licence ends the build until somebody has read it.

/** SPDX identifiers. */
export const allowedLicences: ReadonlySet<string> = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
  ],
]);

/** What package.json says as SPDX writes it: operators in capitals, no parentheses around the whole. */
export function spdxExpression(licence: string): string {
  const plain = licence.trim().replace(/\s+(or|and|with)\s+/gi, (word) => ` ${word.trim().toUpperCase()} `);
  return /^\([^()]*\)$/.test(plain) ? plain.slice(1, -1).trim() : plain;
}

/** One of the choices of OR is enough; of AND each is needed. Expressions in parentheses are for a person to read. */
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
    `the bundle of ${program} holds ${named}: scripts/release/licence-rules.ts says what is allowed`,
  );
}
