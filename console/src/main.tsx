// The console: the web page of the control plane. It has no access of its own: whatever it shows or does is a call of the
// JSON API as the person who is signed in.
import './styles/base.css';
import './styles/controls.module.css';
import './styles/page.module.css';
import './styles/table.module.css';
import './styles/shell.module.css';
import './styles/chart.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { arrive, here, noteArrival } from './api/arrival.ts';
import { prefetch, queries } from './api/queries.ts';
import { announceSignIn } from './api/recent-sign-in.ts';
import { begin, signedInPerson, signedInTo, signInState, signInWithLink, subscribe } from './api/session.ts';
import { preloadPage, router } from './router.tsx';
import { AgainTab, isAgainPath } from './shell/again-tab.tsx';
import { SignIn } from './shell/sign-in.tsx';
import { applyTheme, storedTheme } from './shell/theme.ts';

applyTheme(storedTheme());
preloadPage();
const arrival = arrive();
const { link } = arrival;
const linkError = await (link === undefined ? Promise.resolve() : signInWithLink(link)).then(
  () => null,
  (error: Error) => error,
);
await begin();
if (link !== undefined && linkError === null) announceSignIn();

let person = signedInPerson();
subscribe(() => {
  const [before, now] = [person, signedInPerson()];
  person = now;
  if (before === '' || now === '' || before === now) return;
  // What one person has seen is not there for the next one.
  queries.clear();
  noteArrival('other_person');
});
if (signInState() === 'signed-in') prefetchFirstReads(signedInTo());

/** What the first page waits for, all at once: one after the other, each would wait for a page to be rendered. */
function prefetchFirstReads(organizationId: string): void {
  prefetch('Status.Get', {});
  if (organizationId === '') return;
  prefetch('Organizations.Get', { id: organizationId });
  if (here().path === '') prefetch('Overview.Get', { organizationId });
}

function App() {
  const state = useSyncExternalStore(subscribe, signInState);
  const personId = useSyncExternalStore(subscribe, signedInPerson);
  useEffect(() => {
    if (state === 'signed-out') queries.clear();
  }, [state]);
  if (state !== 'signed-in') return <SignIn arrival={arrival} linkError={linkError} />;
  if (isAgainPath(arrival.path)) return <AgainTab path={arrival.path} />;
  return <RouterProvider key={personId} router={router} />;
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
