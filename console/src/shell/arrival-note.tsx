// Why a sign-in at an issuer led back to the page without one.
import { useState } from 'react';
import { arrivalError, dismissArrivalError, wordsFor } from '../api/arrival.ts';
import classes from '../styles/page.module.css';
import { Button } from '../ui/button.tsx';

export function ArrivalNote({ code }: { readonly code: string }) {
  const { title, advice } = wordsFor(code);
  return (
    <div role="alert" className={`${classes.note} ${classes.noteBad}`}>
      <strong>{title}</strong>
      <p>{advice}</p>
    </div>
  );
}

/** For somebody who is signed in all the same, such as after signing in again was refused. */
export function DismissibleArrivalNote() {
  const [code, setCode] = useState(arrivalError);
  if (code === undefined) return null;
  const dismiss = () => {
    dismissArrivalError();
    setCode(undefined);
  };
  return (
    <>
      <ArrivalNote code={code} />
      <Button onPress={dismiss}>Dismiss</Button>
    </>
  );
}
