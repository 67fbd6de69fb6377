// Invitations: a link by which somebody signs in for the first time, with a role that a person gave.
import { useState } from 'react';
import type { Invitation } from '../../../generated/contract.ts';
import { callerRole, useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { dateTime } from '../../ui/format.ts';
import { Panel } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { rolesFor } from '../settings/people-page.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';

export function Invitations() {
  const { organizationId } = useCaller();
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<string>();
  const [withdrawing, setWithdrawing] = useState<Invitation>();
  const list = useList('Invitations.List', { organizationId }, (page) => page.invitations);
  return (
    <Panel
      title="Open invitations"
      actions={
        <Button look="primary" onPress={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <ListTable
        label="Open invitations"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'email', title: 'E-mail', render: ({ email }) => email, minWidth: 220 },
          { id: 'role', title: 'Role', render: ({ role }) => callerRole(role).replace('-', ' '), width: 150 },
          { id: 'ends', title: 'Ends', render: ({ endsAt }) => dateTime(endsAt), minWidth: 170 },
          {
            id: 'do',
            title: 'Action',
            width: 130,
            render: (row) => <Button onPress={() => setWithdrawing(row)}>Withdraw</Button>,
          },
        ]}
        empty={<Empty title="There is no open invitation" />}
      />
      {isInviting ? (
        <Invite
          onClose={(value) => {
            setInviting(false);
            if (value !== undefined) setLink(`${new URL('.', document.baseURI).href}#invitation=${value}`);
          }}
        />
      ) : null}
      {link === undefined ? null : (
        <SecretDialog
          title="The invitation’s link"
          name="invitation link"
          value={link}
          onClose={() => setLink(undefined)}
        >
          <p>It works once, for seven days. The gateway sends no mail: give it to the person.</p>
        </SecretDialog>
      )}
      {withdrawing === undefined ? null : (
        <Confirm
          title={`Withdraw the invitation of ${withdrawing.email}?`}
          submit="Withdraw"
          method="Invitations.Delete"
          request={{ id: withdrawing.id }}
          onClose={() => setWithdrawing(undefined)}
        >
          <p>Its link stops working.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function Invite({ onClose }: { readonly onClose: (value?: string) => void }) {
  const caller = useCaller();
  const roles = rolesFor(caller);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<string>(roles.at(-1)?.id ?? '');
  const create = useChange('Invitations.Create');
  const submit = async () => {
    const chosen = roles.find(({ id }) => id === role)?.id;
    const made = await create.run({ organizationId: caller.organizationId, email: email.trim(), role: chosen });
    if (made !== undefined) onClose(made.value);
  };
  return (
    <FormDialog
      title="Invite somebody"
      submit="Invite"
      isPending={create.isPending}
      error={create.error}
      isDisabled={email.trim() === ''}
      onSubmit={() => void submit()}
      onClose={() => onClose()}
    >
      <TextInput
        label="E-mail"
        type="email"
        value={email}
        onChange={setEmail}
        isRequired
        autoFocus
        description="The address that they have at the issuer."
      />
      <Picker label="Role" options={roles} value={role} onChange={setRole} />
    </FormDialog>
  );
}
