// Creates a key and shows its value once, with snippets.
import { useState } from 'react';
import { useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Note } from '../../ui/notes.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';
import { KeyForm, newKeyFields, requestOf } from './key-form.tsx';
import { Snippets } from './snippets.tsx';

export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const { organizationId, personId, role } = useCaller();
  const own = role === 'member' ? `person ${personId}` : `organization ${organizationId}`;
  const [fields, setFields] = useState(() => newKeyFields(own));
  // The same id for a repeated attempt: a lost response makes no second key.
  const [clientRequestId] = useState(() => crypto.randomUUID());
  const [value, setValue] = useState<string>();
  const create = useChange('VirtualKeys.Create');
  const submit = async () => {
    const created = await create.run({ organizationId, clientRequestId, ...requestOf(fields) });
    if (created !== undefined) setValue(created.value ?? '');
  };
  if (value !== undefined) return <NewKey value={value} onClose={onClose} />;
  return (
    <FormDialog
      title="Create a virtual key"
      submit="Create key"
      isPending={create.isPending}
      error={create.error}
      isDisabled={fields.name.trim() === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <KeyForm fields={fields} onChange={setFields} />
    </FormDialog>
  );
}

export function NewKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  if (value === '') {
    return (
      <SecretDialog title="The key exists" name="virtual key" value="" onClose={onClose}>
        <Note>An earlier attempt has created it, and its value was lost. Rotate the key to get a value.</Note>
      </SecretDialog>
    );
  }
  return (
    <SecretDialog title="Your virtual key" name="virtual key" value={value} onClose={onClose}>
      <Snippets value={value} />
    </SecretDialog>
  );
}
