// Expectations of the role matrix for methods that sum and list what an organization has.
import type { TestTenant } from './operators.ts';
import { everybodyInside, managersOnly } from './role-codes.ts';

export const inOrganization = (_world: object, tenant: TestTenant) => ({ organizationId: tenant.id });

export const sums = {
  'Models.List': { ...managersOnly, request: inOrganization },
  'Overview.Get': { ...everybodyInside, request: inOrganization },
  'Usage.Totals': { ...everybodyInside, request: inOrganization },
  'Usage.Series': { ...everybodyInside, request: inOrganization },
  'Usage.Export': {
    ...managersOnly,
    request: (_world: object, tenant: TestTenant) => ({ organizationId: tenant.id, format: 'USAGE_FORMAT_CSV' }),
  },
} as const;
