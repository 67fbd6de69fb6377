// The tab in which somebody signs in again at their issuer for a change of another tab: it leads to the issuer, and after
// it reports to the other tab.
import { useEffect, useState } from 'react';
import { announceSignIn } from '../api/recent-sign-in.ts';
import { issuerOfSignIn, signInAtIssuer } from '../api/session.ts';
import classes from '../styles/shell.module.css';
import { ErrorNote, Note } from '../ui/notes.tsx';
import { Brand } from './brand.tsx';

export const againPath = 'sign-in-again';
const donePath = `${againPath}/done`;

export function isAgainPath(path: string): boolean {
  return path === againPath || path === donePath;
}

/** @param path one of the two */
export function AgainTab({ path }: { readonly path: string }) {
  const [error, setError] = useState<Error | null>(null);
  const isDone = path === donePath;
  useEffect(() => {
    if (isDone) {
      announceSignIn();
      window.close();
      return;
    }
    const issuer = issuerOfSignIn();
    if (issuer === undefined) return setError(new Error('you have signed in without an issuer'));
    signInAtIssuer({ ...issuer, returnPath: donePath, again: true }).catch(setError);
  }, [isDone]);
  return (
    <main className={classes.signIn}>
      <div className={classes.card}>
        <Brand />
        <h1>{isDone ? 'You are signed in' : 'Sign in again'}</h1>
        <ErrorNote error={error} />
        <Note>{isDone ? 'Close this tab, and go back to the one before it.' : 'The issuer’s page opens.'}</Note>
      </div>
    </main>
  );
}
