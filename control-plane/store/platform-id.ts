// Who owns the platform's limits, in columns that have the id of an organization otherwise: an id that no organization has.

export const platformId = '00000000-0000-0000-0000-000000000000';

/** @returns undefined for the platform */
export function organizationOrPlatform(organizationId: string): string | undefined {
  return organizationId === platformId ? undefined : organizationId;
}

/** @param organizationId of a request; empty for the platform */
export function ownerNamed(organizationId: string): string {
  return organizationId === '' ? platformId : organizationId;
}
