// Makes an operator token for a person; its value is shown once.
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';

export interface IssueTokenProps {
  readonly person: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

export function IssueToken({ person, onClose }: IssueTokenProps) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('30');
  const [value, setValue] = useState<string>();
  const create = useChange('OperatorTokens.Create');
  const submit = async () => {
    const created = await create.run({ personId: person.id, name, days: Number(days) });
    if (created !== undefined) setValue(created.value);
  };
  if (value !== undefined) {
    return <SecretDialog title={`A token for ${person.name}`} name="operator token" value={value} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={`Make an operator token for ${person.name}`}
      submit="Make token"
      isPending={create.isPending}
      error={create.error}
      isDisabled={name.trim() === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus description="Where it is used." />
      <TextInput label="Days until it ends" type="number" value={days} onChange={setDays} description="1 to 90." />
    </FormDialog>
  );
}
