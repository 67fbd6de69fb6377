// The sign-in page: the issuers of an organization, which its address, an invitation or an e-mail address names; and an
// operator token. A link of `npm start` or `gatewayctl console` signs in without it.
import { type FormEvent, useEffect, useState } from 'react';
import { type Arrival, arrivalError, dismissArrivalError, here } from '../api/arrival.ts';
import { findIssuers, type Realm, signInAtIssuer, signInWithToken } from '../api/session.ts';
import classes from '../styles/shell.module.css';
import { Button } from '../ui/button.tsx';
import { TextInput } from '../ui/fields.tsx';
import { ErrorNote, Note } from '../ui/notes.tsx';
import { ArrivalNote } from './arrival-note.tsx';
import { Brand } from './brand.tsx';

export interface SignInProps {
  readonly arrival: Arrival;
  readonly linkError: Error | null;
}

export function SignIn({ arrival, linkError }: SignInProps) {
  const { invitation } = arrival;
  const [code, setCode] = useState(arrivalError);
  const [realm, setRealm] = useState<Realm>();
  const [error, setError] = useState<Error | null>(linkError);
  const [isPending, setPending] = useState(false);
  const { organization, path } = here();
  const act = (work: () => Promise<void>) => {
    dismissArrivalError();
    setCode(undefined);
    setPending(true);
    setError(null);
    work()
      .catch((problem: Error) => setError(problem))
      .finally(() => setPending(false));
  };
  useEffect(() => {
    const named = invitation !== undefined ? { invitation } : organization === '' ? {} : { organization };
    findIssuers(named).then(setRealm, setError);
  }, [invitation, organization]);
  const isNamed = invitation !== undefined || organization !== '';
  const start = (issuerId: string, of: string) =>
    act(() => signInAtIssuer({ issuerId, organization: of, returnPath: path, invitation }));
  return (
    <main className={classes.signIn}>
      <div className={classes.card}>
        <Brand />
        <h1>Sign in</h1>
        {code === undefined ? null : <ArrivalNote code={code} />}
        {invitation === undefined ? null : (
          <Note tone="accent">
            You are invited. Sign in with the account that has the address to which the invitation was sent.
          </Note>
        )}
        <ErrorNote error={error} />
        {realm === undefined ? null : <Issuers realm={realm} isNamed={isNamed} isPending={isPending} onStart={start} />}
        {isNamed ? null : <EmailForm isPending={isPending} onStart={start} act={act} />}
        <TokenForm isPending={isPending} act={act} />
      </div>
    </main>
  );
}

interface IssuersProps {
  readonly realm: Realm;
  /** Whether the address or an invitation names the organization. */
  readonly isNamed: boolean;
  readonly isPending: boolean;
  readonly onStart: (issuerId: string, organization: string) => void;
}

function Issuers({ realm: { issuers, organization }, isNamed, isPending, onStart }: IssuersProps) {
  if (issuers.length === 0) {
    return isNamed ? <Note tone="warn">Nobody signs in with an issuer at this address. Is it complete?</Note> : null;
  }
  return (
    <div className={classes.issuers}>
      {issuers.map(({ id, name }) => (
        <Button key={id} look="primary" isDisabled={isPending} onPress={() => onStart(id, organization)}>
          Continue with {name}
        </Button>
      ))}
    </div>
  );
}

interface FormProps {
  readonly isPending: boolean;
  readonly act: (work: () => Promise<void>) => void;
}

/** Leads to the issuers of the organization to which the address's domain belongs. */
function EmailForm({ isPending, onStart, act }: FormProps & Pick<IssuersProps, 'onStart'>) {
  const [email, setEmail] = useState('');
  const [realm, setRealm] = useState<Realm>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act(async () => setRealm(await findIssuers({ email: email.trim() })));
  };
  return (
    <form className={classes.signInForm} onSubmit={submit}>
      <TextInput label="E-mail address" type="email" value={email} onChange={setEmail} autoFocus />
      {realm === undefined ? null : realm.issuers.length === 0 ? (
        <Note>
          There is no issuer for this address. Use the address of your organization’s sign-in page, or ask one of its
          owners.
        </Note>
      ) : (
        <Issuers realm={realm} isNamed isPending={isPending} onStart={onStart} />
      )}
      <Button type="submit" isPending={isPending} isDisabled={email.trim() === ''}>
        Continue
      </Button>
    </form>
  );
}

function TokenForm({ isPending, act }: FormProps) {
  const [token, setToken] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act(() => signInWithToken(token.trim()));
  };
  return (
    <form className={classes.signInForm} onSubmit={submit}>
      <TextInput
        label="Operator token"
        type="password"
        value={token}
        onChange={setToken}
        isRequired
        description="It begins with gw-op-. The session ends when the token does."
      />
      <Button type="submit" isPending={isPending} isDisabled={token.trim() === ''}>
        Sign in
      </Button>
    </form>
  );
}
