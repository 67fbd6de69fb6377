// People and their roles: of the organization, or the platform's operators.
import { useState } from 'react';
import type { Person, RoleInput } from '../../../generated/contract.ts';
import { type Caller, callerRole, useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { date } from '../../ui/format.ts';
import { Page } from '../../ui/layout.tsx';
import type { Action } from '../../ui/menu.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn } from '../shared/row-columns.tsx';
import { Identities } from './identities.tsx';
import { IssueToken } from './issue-token.tsx';
import { PersonForm } from './person-form.tsx';

type Doing = { readonly what: 'edit' | 'token' | 'identities' | 'suspend' | 'delete'; readonly person: Person };

const roleNames: Readonly<Record<string, string>> = {
  owner: 'owner',
  admin: 'admin',
  member: 'member',
  'platform-operator': 'platform operator',
};

/** Roles that the caller may give. Only an owner makes owners. */
export function rolesFor({ role }: Caller): readonly { readonly id: RoleInput; readonly name: string }[] {
  if (role === 'platform-operator') return [{ id: 'platform-operator', name: 'Platform operator' }];
  const others = [
    { id: 'admin', name: 'Admin' },
    { id: 'member', name: 'Member: their own keys' },
  ] as const;
  return role === 'owner' ? [{ id: 'owner', name: 'Owner' }, ...others] : others;
}

/** Admins change nobody who is an owner. */
function isChangeable(caller: Caller, person: Person): boolean {
  return caller.role !== 'admin' || person.role !== 'ROLE_OWNER';
}

/** Tokens of platform operators are each one's own. */
function actionsFor(caller: Caller, person: Person, start: (doing: Doing) => void): readonly Action[] {
  if (!isChangeable(caller, person)) return [];
  const doing = (what: Doing['what']) => () => start({ what, person });
  const isOther = person.id !== caller.personId;
  const makesToken = caller.role !== 'platform-operator' || !isOther;
  return [
    { id: 'edit', name: 'Change', run: doing('edit') },
    ...(makesToken ? [{ id: 'token', name: 'Make an operator token', run: doing('token') }] : []),
    ...(person.serviceAccount ? [] : [{ id: 'identities', name: 'Identities', run: doing('identities') }]),
    ...(isOther ? [{ id: 'suspend', name: person.active ? 'Suspend' : 'Resume', run: doing('suspend') }] : []),
    ...(isOther ? [{ id: 'delete', name: 'Delete', isDangerous: true, run: doing('delete') }] : []),
  ];
}

function columnsFor(caller: Caller, start: (doing: Doing) => void): readonly TableColumn<Person>[] {
  return [
    { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 160 },
    {
      id: 'email',
      title: 'E-mail',
      render: ({ email, serviceAccount }) => (serviceAccount ? 'service account' : (email ?? '–')),
      minWidth: 200,
    },
    { id: 'role', title: 'Role', render: ({ role }) => roleNames[callerRole(role)], width: 150 },
    {
      id: 'state',
      title: 'State',
      render: ({ active }) => <Badge tone={active ? 'good' : 'warn'}>{active ? 'active' : 'suspended'}</Badge>,
      width: 120,
    },
    { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 130 },
    actionsColumn(
      (person) => person.name,
      (person) => actionsFor(caller, person, start),
    ),
  ];
}

export function PeoplePage() {
  const caller = useCaller();
  const { organizationId } = caller;
  const isPlatform = organizationId === '';
  const [isCreating, setCreating] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const list = useList('People.List', isPlatform ? {} : { organizationId }, (page) => page.people);
  return (
    <Page
      title={isPlatform ? 'Operators' : 'People'}
      description={
        isPlatform ? 'Operators of the platform belong to no organization.' : 'Who may sign in, and as what.'
      }
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          Add person
        </Button>
      }
    >
      <ListTable
        label="People"
        columns={columnsFor(caller, setDoing)}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title="Nobody is here" />}
      />
      {isCreating ? <PersonForm person={undefined} onClose={() => setCreating(false)} /> : null}
      {doing === undefined ? null : <Do {...doing} onClose={() => setDoing(undefined)} />}
    </Page>
  );
}

function Do({ what, person, onClose }: Doing & { readonly onClose: () => void }) {
  switch (what) {
    case 'edit':
      return <PersonForm person={person} onClose={onClose} />;
    case 'token':
      return <IssueToken person={person} onClose={onClose} />;
    case 'identities':
      return <Identities person={person} onClose={onClose} />;
    case 'suspend':
      return (
        <Confirm
          title={`${person.active ? 'Suspend' : 'Resume'} ${person.name}?`}
          submit={person.active ? 'Suspend' : 'Resume'}
          method="People.Update"
          request={{ id: person.id, active: !person.active }}
          onClose={onClose}
        >
          <p>
            {person.active
              ? 'Their keys and operator tokens are refused from now on, until you resume them.'
              : 'Their keys and operator tokens work again.'}
          </p>
        </Confirm>
      );
    case 'delete':
      return (
        <Confirm
          title={`Delete ${person.name}?`}
          submit="Delete person"
          method="People.Delete"
          request={{ id: person.id }}
          onClose={onClose}
        >
          <p>Their keys and operator tokens are revoked with them. Nobody can undo it; suspending can be undone.</p>
        </Confirm>
      );
  }
}
