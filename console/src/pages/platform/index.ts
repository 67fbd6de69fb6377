export { AuditPage } from '../settings/audit-page.tsx';
export { PeoplePage } from '../settings/people-page.tsx';
export { StopsPage } from '../settings/stops-page.tsx';
export { TokensPage } from '../settings/tokens-page.tsx';
export { OrganizationDetailPage } from './organization-detail.tsx';
export { OrganizationsPage } from './organizations-page.tsx';
export { PlatformProvidersPage } from './providers-page.tsx';
export { ProxiesPage } from './proxies-page.tsx';
