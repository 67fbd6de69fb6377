// Every page by its address. A page is a file of its own, which is loaded when it is first opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Shell } from './shell/shell.tsx';
import { Page } from './ui/layout.tsx';
import { Empty, ErrorNote, Loading } from './ui/notes.tsx';
import { parseSearch, stringifySearch } from './ui/search-state.ts';

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

function NotFound() {
  return (
    <Page title="Not found">
      <Empty title="There is no such page">Choose one in the navigation.</Empty>
    </Page>
  );
}

const page = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => rootRoute, path, component });

const settings = () => import('./pages/settings/index.ts');
const platform = () => import('./pages/platform/index.ts');
const signIn = () => import('./pages/sign-in/index.ts');
const programs = () => import('./pages/programs/index.ts');
const access = () => import('./pages/access/index.ts');

const pages = [
  page(
    '/',
    lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
  ),
  page(
    '/spend',
    lazyRouteComponent(() => import('./pages/spend/spend-page.tsx'), 'SpendPage'),
  ),
  page(
    '/requests',
    lazyRouteComponent(() => import('./pages/requests/index.ts'), 'RequestsPage'),
  ),
  page(
    '/requests/$id',
    lazyRouteComponent(() => import('./pages/requests/index.ts'), 'RequestPage'),
  ),
  page(
    '/playground',
    lazyRouteComponent(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage'),
  ),
  page(
    '/guardrails',
    lazyRouteComponent(() => import('./pages/guardrails/guardrails-page.tsx'), 'GuardrailsPage'),
  ),
  page(
    '/models',
    lazyRouteComponent(() => import('./pages/models/models-page.tsx'), 'ModelsPage'),
  ),
  page('/settings/access', lazyRouteComponent(access, 'AccessPage')),
  page('/settings/access/$id', lazyRouteComponent(access, 'KeyPage')),
  page('/settings/organization', lazyRouteComponent(settings, 'OrganizationPage')),
  page('/settings/people', lazyRouteComponent(settings, 'PeoplePage')),
  page('/settings/service-accounts', lazyRouteComponent(settings, 'ServiceAccountsPage')),
  page('/settings/ai-systems', lazyRouteComponent(settings, 'AiSystemsPage')),
  page('/settings/limits', lazyRouteComponent(settings, 'LimitsPage')),
  page('/settings/webhooks', lazyRouteComponent(settings, 'WebhooksPage')),
  page('/settings/stops', lazyRouteComponent(settings, 'StopsPage')),
  page(
    '/settings/capture',
    lazyRouteComponent(() => import('./pages/captures/index.ts'), 'CapturePage'),
  ),
  page('/settings/audit', lazyRouteComponent(settings, 'AuditPage')),
  page('/settings/sign-in', lazyRouteComponent(signIn, 'SignInPage')),
  page('/settings/tokens', lazyRouteComponent(settings, 'TokensPage')),
  page('/device', lazyRouteComponent(programs, 'DevicePage')),
  page('/program/$port/$challenge/$state/$name', lazyRouteComponent(programs, 'ProgramPage')),
  page('/platform/organizations', lazyRouteComponent(platform, 'OrganizationsPage')),
  page('/platform/organizations/$id', lazyRouteComponent(platform, 'OrganizationDetailPage')),
  page('/platform/proxies', lazyRouteComponent(platform, 'ProxiesPage')),
  page('/platform/providers', lazyRouteComponent(platform, 'PlatformProvidersPage')),
  page('/platform/stops', lazyRouteComponent(platform, 'StopsPage')),
  page('/platform/people', lazyRouteComponent(platform, 'PeoplePage')),
  page('/platform/audit', lazyRouteComponent(platform, 'AuditPage')),
  page('/platform/sign-in', lazyRouteComponent(signIn, 'SignInPage')),
  page('/platform/tokens', lazyRouteComponent(platform, 'TokensPage')),
  createRoute({
    getParentRoute: () => rootRoute,
    // The sign-in page of an organization, for somebody who is signed in.
    path: '/o/$organization',
    beforeLoad: () => {
      throw redirect({ to: '/' });
    },
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/access',
    beforeLoad: () => {
      throw redirect({ to: '/settings/access' });
    },
  }),
];

export const router = createRouter({
  routeTree: rootRoute.addChildren(pages),
  basepath: new URL(document.baseURI).pathname.replace(/\/$/, ''),
  parseSearch,
  stringifySearch,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error }) => <ErrorNote error={error instanceof Error ? error : new Error(String(error))} />,
  defaultPreload: 'intent',
});

/** Loads the code of the address's page, while the sign-in is looked up. A failure shows when the page is rendered. */
export function preloadPage(): void {
  const [matchedRoutes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const { options } of matchedRoutes) void options.component?.preload?.()?.catch(() => undefined);
}
