// The form for an operator token. A link of `npm start` or `gatewayctl console` signs in without it.
import { type FormEvent, useState } from 'react';
import { signInWithToken } from '../api/session.ts';
import classes from '../styles/shell.module.css';
import { Button } from '../ui/button.tsx';
import { TextInput } from '../ui/fields.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Brand } from './brand.tsx';

export function SignIn({ linkError }: { readonly linkError: Error | null }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState<Error | null>(linkError);
  const [isPending, setPending] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setError(null);
    signInWithToken(token.trim())
      .catch((problem: Error) => setError(problem))
      .finally(() => setPending(false));
  };
  return (
    <main className={classes.signIn}>
      <form className={classes.card} onSubmit={submit}>
        <Brand />
        <h1>Sign in</h1>
        <TextInput
          label="Operator token"
          type="password"
          value={token}
          onChange={setToken}
          isRequired
          autoFocus
          description="It begins with gw-op-. The session ends when the token does."
        />
        <ErrorNote error={error} />
        <Button look="primary" type="submit" isPending={isPending} isDisabled={token.trim() === ''}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
