// Organizations of the platform. Its operators see their names and states, never their content.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../../../generated/contract.ts';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { date, dateTime } from '../../ui/format.ts';
import { Mono, Page } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';

const columns: readonly TableColumn<Organization>[] = [
  { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 200 },
  {
    id: 'state',
    title: 'State',
    render: ({ suspended }) => <Badge tone={suspended ? 'bad' : 'good'}>{suspended ? 'suspended' : 'active'}</Badge>,
    width: 120,
  },
  { id: 'reason', title: 'Reason', render: ({ suspendedReason }) => suspendedReason ?? '–', minWidth: 160 },
  { id: 'until', title: 'Until', render: ({ suspendedEndsAt }) => dateTime(suspendedEndsAt), minWidth: 140 },
  { id: 'weight', title: 'Weight', render: ({ weight }) => weight, isNumber: true, width: 90 },
  { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 130 },
  { id: 'id', title: 'Id', render: ({ id }) => <Mono>{id}</Mono>, minWidth: 230 },
];

export function OrganizationsPage() {
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const list = useList('Organizations.List', { pageSize: 200 }, (page) => page.organizations);
  return (
    <Page
      title="Organizations"
      description="The tenants of this gateway."
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          Create organization
        </Button>
      }
    >
      <ListTable
        label="Organizations"
        columns={columns}
        list={list}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/platform/organizations/$id', params: { id } })}
        empty={<Empty title="There is no organization yet">Create one with its first owner.</Empty>}
      />
      {isCreating ? <CreateOrganization onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function CreateOrganization({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [owner, setOwner] = useState('');
  const [email, setEmail] = useState('');
  const [token, setToken] = useState<string>();
  const create = useChange('Organizations.Create');
  const submit = async () => {
    const created = await create.run({ name, owner: { name: owner, ...(email === '' ? {} : { email }) } });
    if (created !== undefined) setToken(created.ownerToken);
  };
  if (token !== undefined) {
    return (
      <SecretDialog title={`A token for ${owner}`} name="owner’s operator token" value={token} onClose={onClose} />
    );
  }
  return (
    <FormDialog
      title="Create an organization"
      submit="Create organization"
      isPending={create.isPending}
      error={create.error}
      isDisabled={name.trim() === '' || owner.trim() === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextInput label="Name of its first owner" value={owner} onChange={setOwner} isRequired />
      <TextInput label="E-mail of its first owner" type="email" value={email} onChange={setEmail} />
    </FormDialog>
  );
}
