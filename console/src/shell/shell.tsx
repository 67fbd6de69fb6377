// The signed-in page: navigation by role, who is signed in, and the page of the address.
import { Link, Outlet, useLocation, useMatches, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type Caller, CallerProvider, callerRole, useCaller } from '../api/caller.tsx';
import { useAll, useRead } from '../api/queries.ts';
import { signOut } from '../api/session.ts';
import classes from '../styles/shell.module.css';
import { Button } from '../ui/button.tsx';
import { Picker } from '../ui/fields.tsx';
import { Page } from '../ui/layout.tsx';
import { Empty, ErrorNote, Loading } from '../ui/notes.tsx';
import { DismissibleArrivalNote } from './arrival-note.tsx';
import { Brand } from './brand.tsx';
import { isOffered, linksFor } from './navigation.ts';
import { StepUp } from './step-up.tsx';
import { applyTheme, storedTheme, type Theme } from './theme.ts';

export function Shell() {
  const { data, error, refetch } = useRead('Status.Get', {});
  if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (data?.caller === undefined) return <Loading />;
  const { personId, name, role, organizationId = '' } = data.caller;
  const permissions = new Set(data.permissions);
  const caller: Caller = { personId, name, role: callerRole(role), organizationId, permissions };
  return (
    <CallerProvider value={caller}>
      <Frame version={data.version} />
      <StepUp />
    </CallerProvider>
  );
}

function Frame({ version }: { readonly version: string }) {
  const [isOpen, setOpen] = useState(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  // Another page begins at its top, for readers of screens as well.
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    setOpen(false);
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <div className={classes.shell}>
      <button type="button" className={classes.skip} onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header className={classes.rail}>
        <div className={classes.top}>
          <Brand />
          <Button onPress={() => setOpen(!isOpen)} aria-expanded={isOpen} aria-controls="navigation">
            Menu
          </Button>
        </div>
        <div id="navigation" className={classes.side} {...(isOpen ? { 'data-open': '' } : {})}>
          <Brand />
          <Where />
          <Navigation />
          <Foot version={version} />
        </div>
      </header>
      <main id="main" className={classes.main} tabIndex={-1} ref={main}>
        <DismissibleArrivalNote />
        <OfferedPage />
      </main>
    </div>
  );
}

function OfferedPage() {
  const caller = useCaller();
  // Of the page that would be rendered: while another one loads, the address is already that one's.
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' });
  if (isOffered(caller, pathname)) return <Outlet />;
  const [first] = linksFor(caller).flatMap(({ links }) => links);
  if (pathname === '/' && first !== undefined) return <Redirect to={first.to} />;
  return (
    <Page title="Not here">
      <Empty title="This page does not exist for you">
        The address is wrong, or your role ({caller.role.replace('-', ' ')}) does not have this page.
      </Empty>
    </Page>
  );
}

/** Once: a navigation while the page loads would begin another one, without end. */
function Redirect({ to }: { readonly to: string }) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useEffect(() => {
    if (pathname !== to) void navigate({ to, replace: true });
  }, [navigate, pathname, to]);
  return <Loading />;
}

/** The organization; platform operators choose one to look at. */
function Where() {
  const { organizationId } = useCaller();
  return organizationId === '' ? <OrganizationSwitcher /> : <OrganizationName id={organizationId} />;
}

function OrganizationName({ id }: { readonly id: string }) {
  const { data } = useRead('Organizations.Get', { id });
  return <p className={classes.where}>{data?.name ?? ' '}</p>;
}

const platform = { id: '', name: 'All organizations' };

function OrganizationSwitcher() {
  const organizations = useAll('Organizations.List', {}, ({ organizations: rows }) => rows);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [, current = ''] = /^\/platform\/organizations\/([^/]+)/.exec(pathname) ?? [];
  return (
    <div className={classes.where}>
      <Picker
        label="Organization"
        options={[platform, ...organizations.map(({ id, name }) => ({ id, name }))]}
        value={current}
        onChange={(id) =>
          void navigate({ to: id === '' ? '/platform/organizations' : `/platform/organizations/${id}` })
        }
      />
    </div>
  );
}

function Navigation() {
  const caller = useCaller();
  return (
    <nav aria-label="Pages">
      {linksFor(caller).map(({ name, links }) => (
        <div key={name}>
          {name === '' ? null : <p className={classes.group}>{name}</p>}
          <ul>
            {links.map(({ to, name: title }) => (
              <li key={to}>
                <Link to={to} className={classes.link} activeOptions={{ exact: to === '/', includeSearch: false }}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const themes = [
  { id: 'system', name: 'As the system' },
  { id: 'light', name: 'Light' },
  { id: 'dark', name: 'Dark' },
] as const;

function Foot({ version }: { readonly version: string }) {
  const { name, role } = useCaller();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const choose = (id: string) => {
    const chosen = themes.find((one) => one.id === id)?.id ?? 'system';
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <div className={classes.foot}>
      <Picker label="Theme" options={themes} value={theme} onChange={choose} isCompact />
      <p className={classes.who}>
        {name} <span className={classes.role}>· {role.replace('-', ' ')}</span>
      </p>
      <p className={classes.role}>Version {version}</p>
      <Button onPress={() => void signOut()}>Sign out</Button>
    </div>
  );
}
