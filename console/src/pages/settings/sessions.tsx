// The sign-ins of this person at the console.
import type { Session } from '../../../generated/contract.ts';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ago, dateTime, word } from '../../ui/format.ts';
import { Panel } from '../../ui/layout.tsx';
import { Badge, Empty, ErrorNote } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';

export function Sessions() {
  const list = useList('Sessions.List', {}, (page) => page.sessions);
  const revoke = useChange('Sessions.Revoke');
  return (
    <Panel title="My sessions at the console">
      <ErrorNote error={revoke.error} />
      <ListTable
        label="My sessions"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'created', title: 'Signed in', render: ({ createdAt }) => dateTime(createdAt), minWidth: 190 },
          { id: 'method', title: 'With', render: ({ method }) => word(method, 'SIGN_IN_METHOD_'), width: 140 },
          { id: 'seen', title: 'Last used', render: ({ seenAt }) => ago(seenAt), width: 150 },
          { id: 'address', title: 'From', render: ({ address }) => address, width: 140 },
          { id: 'agent', title: 'Browser', render: ({ userAgent }) => userAgent, minWidth: 160 },
          { id: 'state', title: 'State', render: (session) => <SessionBadge session={session} />, width: 120 },
          {
            id: 'do',
            title: 'Action',
            width: 110,
            render: ({ id, endedAt, current }) =>
              endedAt === undefined && !current ? <Button onPress={() => void revoke.run({ id })}>End</Button> : null,
          },
        ]}
        empty={<Empty title="There is no session" />}
      />
    </Panel>
  );
}

function SessionBadge({ session: { endedAt, current } }: { readonly session: Session }) {
  if (endedAt !== undefined) return <Badge>ended</Badge>;
  return <Badge tone={current ? 'accent' : 'good'}>{current ? 'this one' : 'active'}</Badge>;
}
