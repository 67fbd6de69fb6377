// A switch that is a setting: it acts at once, and then shows the control plane's value.
import { type ReactNode, useRef, useState } from 'react';
import type { MethodName, RequestOf } from '../../api/call.ts';
import { useChange } from '../../api/queries.ts';
import { Toggle } from '../../ui/fields.tsx';
import { ErrorNote } from '../../ui/notes.tsx';

export interface ChangeToggleProps<M extends MethodName> {
  readonly method: M;
  readonly isSelected: boolean;
  readonly isDisabled?: boolean;
  readonly requestFor: (isSelected: boolean) => RequestOf<M>;
  readonly children: ReactNode;
  /** For screen readers, where the text beside it says less. */
  readonly label?: string;
}

export function ChangeToggle<M extends MethodName>(props: ChangeToggleProps<M>) {
  const { method, isSelected, isDisabled = false, requestFor, children, label } = props;
  const change = useChange(method);
  const request = useRef(requestFor);
  request.current = requestFor;
  /** Shown until the control plane has it. */
  const [chosen, setChosen] = useState<boolean>();
  const wanted = useRef<boolean>(undefined);
  // It is not disabled while a change is sent, which would take the keyboard's focus away. The last choice is sent then.
  const choose = async (next: boolean) => {
    const isRunning = wanted.current !== undefined;
    wanted.current = next;
    setChosen(next);
    if (isRunning) return;
    let sent: boolean | undefined;
    while (sent !== wanted.current) {
      sent = wanted.current ?? next;
      if ((await change.run(request.current(sent))) === undefined) break;
    }
    wanted.current = undefined;
    setChosen(undefined);
  };
  return (
    <>
      <Toggle
        label={label}
        isSelected={chosen ?? isSelected}
        isDisabled={isDisabled}
        onChange={(next) => void choose(next)}
      >
        {children}
      </Toggle>
      <ErrorNote error={change.error} />
    </>
  );
}
