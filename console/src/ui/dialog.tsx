// Dialogs: a form or a question above the page. Escape closes them, and focus returns to what opened them.
import type { FormEvent, ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import classes from '../styles/controls.module.css';
import { Button } from './button.tsx';
import { ErrorNote } from './notes.tsx';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** A click outside does not close it: it shows what is not shown again. */
  readonly isFirm?: boolean;
  readonly isWide?: boolean;
}

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, children, isFirm = false, isWide = false }: DialogProps) {
  return (
    <ModalOverlay
      className={classes.overlay ?? ''}
      isOpen
      isDismissable={!isFirm}
      isKeyboardDismissDisabled={isFirm}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={`${classes.modal} ${isWide ? classes.wide : ''}`}>
        <AriaDialog className={classes.dialog ?? ''}>
          <Heading slot="title" className={classes.dialogTitle ?? ''}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export interface FormDialogProps extends DialogProps {
  readonly submit: string;
  readonly look?: 'primary' | 'danger';
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly onSubmit: () => void;
  readonly isDisabled?: boolean;
}

/** A dialog with a form, its error and its two buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, children, submit, look = 'primary', isPending, error, onSubmit, isDisabled, isWide } = props;
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide ?? false}>
      <form onSubmit={send} className={classes.form}>
        {children}
        <ErrorNote error={error} />
        <div className={classes.buttons}>
          <Button look="quiet" onPress={onClose}>
            Cancel
          </Button>
          <Button look={look} type="submit" isPending={isPending} isDisabled={isDisabled ?? false}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
