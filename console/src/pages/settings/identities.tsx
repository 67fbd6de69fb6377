// Who a person is at issuers. Without an identity they cannot sign in there until they are invited or linked again.
import { useState } from 'react';
import type { Identity, Person } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { date } from '../../ui/format.ts';
import { Mono } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';

export function Identities({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const { permissions } = useCaller();
  const [unlinking, setUnlinking] = useState<Identity>();
  const list = useList('SignIn.ListIdentities', { personId: person.id }, (page) => page.identities);
  if (unlinking !== undefined) {
    return (
      <Confirm
        title={`Unlink ${person.name} at ${unlinking.issuerName}?`}
        submit="Unlink"
        method="SignIn.DeleteIdentity"
        request={{ id: unlinking.id }}
        onClose={() => setUnlinking(undefined)}
      >
        <p>Sessions of this identity end now. The person, their keys and operator tokens stay.</p>
      </Confirm>
    );
  }
  return (
    <Dialog title={`${person.name} at issuers`} onClose={onClose} isWide>
      <ListTable
        label="Identities"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'issuer', title: 'Issuer', render: ({ issuerName }) => issuerName, minWidth: 130 },
          { id: 'subject', title: 'Subject', render: ({ subject }) => <Mono>{subject}</Mono>, minWidth: 200 },
          { id: 'created', title: 'Linked', render: ({ createdAt }) => date(createdAt), width: 130 },
          ...(permissions.has('SignIn.DeleteIdentity')
            ? [
                {
                  ...{ id: 'do', title: 'Action', width: 110 },
                  render: (identity: Identity) => <Button onPress={() => setUnlinking(identity)}>Unlink</Button>,
                },
              ]
            : []),
        ]}
        empty={<Empty title="No identity">They have not signed in at an issuer, or were unlinked.</Empty>}
      />
    </Dialog>
  );
}
