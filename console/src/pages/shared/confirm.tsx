// A question before a change that breaks something, with what it breaks.
import type { ReactNode } from 'react';
import type { MethodName, RequestOf } from '../../api/call.ts';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';

export interface ConfirmProps<M extends MethodName> {
  readonly title: string;
  readonly submit: string;
  readonly method: M;
  readonly request: RequestOf<M>;
  readonly onClose: () => void;
  readonly onDone?: () => void;
  readonly children: ReactNode;
}

export function Confirm<M extends MethodName>(props: ConfirmProps<M>) {
  const { title, submit, method, request, onClose, onDone, children } = props;
  const change = useChange(method);
  const run = async () => {
    if ((await change.run(request)) === undefined) return;
    onClose();
    onDone?.();
  };
  return (
    <FormDialog
      title={title}
      submit={submit}
      look="danger"
      isPending={change.isPending}
      error={change.error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}
