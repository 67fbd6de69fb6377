export { AiSystemsPage } from './ai-systems-page.tsx';
export { AuditPage } from './audit-page.tsx';
export { LimitsPage } from './limits-page.tsx';
export { OrganizationPage } from './organization-page.tsx';
export { PeoplePage } from './people-page.tsx';
export { StopsPage } from './stops-page.tsx';
export { TokensPage } from './tokens-page.tsx';
export { WebhooksPage } from './webhooks-page.tsx';
