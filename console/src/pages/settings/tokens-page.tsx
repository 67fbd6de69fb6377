// The operator tokens of the person who is signed in.
import { useState } from 'react';
import type { OperatorToken } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { dateTime } from '../../ui/format.ts';
import { Mono, Page } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { IssueToken } from './issue-token.tsx';
import { Sessions } from './sessions.tsx';

export function TokensPage() {
  const caller = useCaller();
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<OperatorToken>();
  const list = useList('OperatorTokens.List', { personId: caller.personId }, (page) => page.operatorTokens);
  return (
    <Page
      title="My tokens"
      description="Operator tokens are for gatewayctl, the JSON API and this page. Each can do what your role can."
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          Make token
        </Button>
      }
    >
      <ListTable
        label="My operator tokens"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 180 },
          { id: 'hint', title: 'Ends with', render: ({ hint }) => <Mono>…{hint}</Mono>, width: 110 },
          { id: 'state', title: 'State', render: (token) => <TokenBadge token={token} />, width: 110 },
          { id: 'created', title: 'Created', render: ({ createdAt }) => dateTime(createdAt), minWidth: 170 },
          { id: 'ends', title: 'Ends', render: ({ endsAt }) => dateTime(endsAt), minWidth: 170 },
          {
            id: 'do',
            title: 'Action',
            width: 120,
            render: (token) =>
              token.revokedAt === undefined ? <Button onPress={() => setRevoking(token)}>Revoke</Button> : null,
          },
        ]}
        empty={<Empty title="There is no token" />}
      />
      <Sessions />
      {isCreating ? (
        <IssueToken person={{ id: caller.personId, name: 'yourself' }} onClose={() => setCreating(false)} />
      ) : null}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          submit="Revoke token"
          method="OperatorTokens.Revoke"
          request={{ id: revoking.id }}
          onClose={() => setRevoking(undefined)}
        >
          <p>What uses it is signed out, this page as well if you signed in with it.</p>
        </Confirm>
      )}
    </Page>
  );
}

function TokenBadge({ token: { revokedAt, endsAt } }: { readonly token: OperatorToken }) {
  if (revokedAt !== undefined) return <Badge tone="bad">revoked</Badge>;
  return Date.parse(endsAt) < Date.now() ? <Badge tone="warn">ended</Badge> : <Badge tone="good">active</Badge>;
}
