// A switch that is a setting: it acts at once, and shows the control plane's value.
import type { ReactNode } from 'react';
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
  return (
    <>
      <Toggle
        label={label}
        isSelected={isSelected}
        // Not disabled while it is sent, which would take the keyboard's focus away; a second change is not sent then.
        isDisabled={isDisabled}
        onChange={(next) => void change.run(requestFor(next))}
      >
        {children}
      </Toggle>
      <ErrorNote error={change.error} />
    </>
  );
}
