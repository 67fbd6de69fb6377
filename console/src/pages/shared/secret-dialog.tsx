// A value that is shown once.
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Row } from '../../ui/layout.tsx';
import { Note } from '../../ui/notes.tsx';

export interface SecretDialogProps {
  readonly title: string;
  /** What the value is, such as "operator token". */
  readonly name: string;
  readonly value: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

export function SecretDialog({ title, name, value, onClose, children }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} isFirm isWide>
      <Note tone="warn">Copy the {name} now. It is not shown again, and nobody can read it later.</Note>
      <CodeBlock text={value} label={name} />
      {children}
      <Row>
        <Button look="primary" onPress={onClose}>
          I have copied it
        </Button>
      </Row>
    </Dialog>
  );
}
