// The pages that a role has, in the order of the navigation. A page is offered if its first read is allowed.

import type { MethodName } from '../api/call.ts';
import type { Caller } from '../api/caller.tsx';
import { playgroundUrl } from '../api/playground-url.ts';

export interface PageLink {
  readonly to: string;
  readonly name: string;
  readonly reads: MethodName;
  /** Only where a setting names the proxy that the page calls. */
  readonly needsPlayground?: true;
}

export interface LinkGroup {
  /** Empty: without a heading. */
  readonly name: string;
  readonly links: readonly PageLink[];
}

const ofOrganization: readonly LinkGroup[] = [
  {
    name: '',
    links: [
      { to: '/', name: 'Home', reads: 'Overview.Get' },
      { to: '/spend', name: 'Spend', reads: 'Usage.Series' },
      { to: '/requests', name: 'Requests', reads: 'Requests.List' },
      { to: '/playground', name: 'Playground', reads: 'VirtualKeys.Create', needsPlayground: true },
      { to: '/guardrails', name: 'Guardrails', reads: 'Guardrails.List' },
      { to: '/models', name: 'Models and providers', reads: 'VirtualKeys.Explain' },
    ],
  },
  {
    name: 'Settings',
    links: [
      { to: '/settings/access', name: 'Access', reads: 'VirtualKeys.List' },
      { to: '/settings/organization', name: 'Organization', reads: 'Organizations.UpdateSettings' },
      { to: '/settings/people', name: 'People', reads: 'People.List' },
      { to: '/settings/service-accounts', name: 'Service accounts', reads: 'ServiceAccounts.List' },
      { to: '/settings/ai-systems', name: 'AI systems', reads: 'AiSystems.List' },
      { to: '/settings/limits', name: 'Limits', reads: 'Limits.List' },
      { to: '/settings/webhooks', name: 'Webhooks', reads: 'Webhooks.List' },
      { to: '/settings/stops', name: 'Stops', reads: 'Stops.List' },
      { to: '/settings/sign-in', name: 'Sign-in', reads: 'SignIn.ListIssuers' },
      { to: '/settings/capture', name: 'Capture', reads: 'Captures.ListReaders' },
      { to: '/settings/audit', name: 'Audit', reads: 'Audit.List' },
      { to: '/settings/tokens', name: 'My tokens', reads: 'OperatorTokens.List' },
    ],
  },
];

const ofPlatform: readonly LinkGroup[] = [
  {
    name: 'Platform',
    links: [
      { to: '/platform/organizations', name: 'Organizations', reads: 'Organizations.List' },
      { to: '/platform/proxies', name: 'Proxies', reads: 'ProxyTokens.List' },
      { to: '/platform/providers', name: 'Providers', reads: 'Providers.List' },
      { to: '/platform/stops', name: 'Stops', reads: 'Stops.List' },
      { to: '/platform/people', name: 'Operators', reads: 'People.List' },
      { to: '/platform/sign-in', name: 'Sign-in', reads: 'SignIn.ListIssuers' },
      { to: '/platform/audit', name: 'Audit', reads: 'Audit.List' },
      { to: '/platform/tokens', name: 'My tokens', reads: 'OperatorTokens.List' },
    ],
  },
];

export function linksFor(caller: Caller): readonly LinkGroup[] {
  const groups = caller.organizationId === '' ? ofPlatform : ofOrganization;
  return groups
    .map(({ name, links }) => ({ name, links: links.filter((link) => isThere(link, caller)) }))
    .filter(({ links }) => links.length > 0);
}

function isThere({ reads, needsPlayground }: PageLink, { permissions }: Caller): boolean {
  return permissions.has(reads) && (needsPlayground !== true || playgroundUrl !== '');
}

/** Whether the navigation has the page, or one above it; programs lead to their pages. */
export function isOffered(caller: Caller, path: string): boolean {
  if (path === '/device' || path.startsWith('/program/')) return caller.permissions.has('Sessions.ApproveDevice');
  return linksFor(caller).some(({ links }) =>
    links.some(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`))),
  );
}
