// A change needs a recent sign-in: the person signs in again, and the change is made. The form that they filled in stays
// open below, so nothing is typed again.
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { useCaller } from '../api/caller.tsx';
import { finish, giveUp, isWaiting, subscribeToWaiting } from '../api/recent-sign-in.ts';
import { issuerOfSignIn, signInWithToken } from '../api/session.ts';
import classes from '../styles/controls.module.css';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextInput } from '../ui/fields.tsx';
import { Stack } from '../ui/layout.tsx';
import { ErrorNote, Note } from '../ui/notes.tsx';

export function StepUp() {
  const isOpen = useSyncExternalStore(subscribeToWaiting, isWaiting);
  return isOpen ? <StepUpDialog /> : null;
}

function StepUpDialog() {
  const { name } = useCaller();
  return (
    <Dialog title="Sign in again" onClose={giveUp}>
      <Stack>
        <p>
          This change needs a sign-in of the last 15 minutes. Sign in as {name}, and it is made; what you have typed
          stays here.
        </p>
        {issuerOfSignIn() === undefined ? <AgainWithToken /> : <AgainAtIssuer />}
      </Stack>
    </Dialog>
  );
}

/** After a sign-in with a token or a link. */
function AgainWithToken() {
  const [token, setToken] = useState('');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setError(null);
    signInWithToken(token.trim())
      .then(finish, setError)
      .finally(() => setPending(false));
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      <TextInput
        label="Operator token"
        type="password"
        value={token}
        onChange={setToken}
        isRequired
        autoFocus
        description="Or open a link of gatewayctl console in this browser."
      />
      <ErrorNote error={error} />
      <div className={classes.buttons}>
        <Button look="quiet" onPress={giveUp}>
          Cancel
        </Button>
        <Button look="primary" type="submit" isPending={isPending} isDisabled={token.trim() === ''}>
          Sign in
        </Button>
      </div>
    </form>
  );
}

type Tab = 'none' | 'open' | 'blocked';

/** In a tab of its own, so that this one keeps what it has. That tab reports when it is done. */
function AgainAtIssuer() {
  const [tab, setTab] = useState<Tab>('none');
  const open = () => {
    const opened = window.open(new URL('sign-in-again', document.baseURI), '_blank');
    setTab(opened === null ? 'blocked' : 'open');
  };
  return (
    <>
      {tab === 'open' ? <Note>Waiting for the sign-in in the other tab.</Note> : null}
      {tab === 'blocked' ? <Note tone="warn">The browser opened no tab. Allow this page to open one.</Note> : null}
      <div className={classes.buttons}>
        <Button look="quiet" onPress={giveUp}>
          Cancel
        </Button>
        <Button look="primary" onPress={open}>
          {tab === 'none' ? 'Sign in again' : 'Open it again'}
        </Button>
      </div>
    </>
  );
}
