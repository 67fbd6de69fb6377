// Adds a person, or changes one.
import { useState } from 'react';
import type { Person } from '../../../generated/contract.ts';
import { callerRole, useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { listOf } from '../../ui/format.ts';
import { ModelsField } from '../shared/models-field.tsx';
import { rolesFor } from './people-page.tsx';

export function PersonForm({ person, onClose }: { readonly person: Person | undefined; readonly onClose: () => void }) {
  const caller = useCaller();
  const roles = rolesFor(caller);
  const [name, setName] = useState(person?.name ?? '');
  const [email, setEmail] = useState(person?.email ?? '');
  const [role, setRole] = useState<string>(person === undefined ? (roles.at(-1)?.id ?? '') : callerRole(person.role));
  const [models, setModels] = useState(person?.allowedModels.join('\n') ?? '');
  const create = useChange('People.Create');
  const update = useChange('People.Update');
  const submit = async () => {
    const chosen = roles.find(({ id }) => id === role)?.id;
    const isOfOrganization = caller.organizationId !== '';
    const fields = { name, role: chosen, ...(isOfOrganization ? { allowedModels: { globs: listOf(models) } } : {}) };
    const saved =
      person === undefined
        ? await create.run({
            ...fields,
            ...(email === '' ? {} : { email }),
            ...(isOfOrganization ? { organizationId: caller.organizationId } : {}),
          })
        : await update.run({ ...fields, id: person.id, ifRevision: person.revision, email });
    if (saved !== undefined) onClose();
  };
  return (
    <FormDialog
      title={person === undefined ? 'Add a person' : `Change ${person.name}`}
      submit={person === undefined ? 'Add person' : 'Save'}
      isPending={create.isPending || update.isPending}
      error={create.error ?? update.error}
      isDisabled={name.trim() === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus maxLength={100} />
      <TextInput label="E-mail" type="email" value={email} onChange={setEmail} />
      <Picker label="Role" options={roles} value={role} onChange={setRole} />
      {caller.organizationId === '' ? null : <ModelsField value={models} onChange={setModels} />}
    </FormDialog>
  );
}
