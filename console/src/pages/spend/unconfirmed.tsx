// Unconfirmed money: leases of proxies that fell silent. An admin releases what will not be reported any more.
import { useState } from 'react';
import type { Unsettled } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ago, money } from '../../ui/format.ts';
import { Muted } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';

export function Unconfirmed() {
  const { organizationId } = useCaller();
  const [releasing, setReleasing] = useState<Unsettled>();
  const list = useList('Budgets.ListUnsettled', { organizationId }, (page) => page.unsettled);
  return (
    <>
      <Muted>
        Money that a proxy had when it fell silent. It counts as spent until the proxy reports it, or you release it.
      </Muted>
      <ListTable
        label="Unconfirmed money"
        list={list}
        idOf={({ limitId, window, session, counter = '' }) => `${limitId} ${window} ${session} ${counter}`}
        columns={[
          { id: 'budget', title: 'Budget', render: ({ limitName }) => limitName, minWidth: 220 },
          { id: 'proxy', title: 'Proxy', render: ({ proxy }) => proxy },
          { id: 'seen', title: 'Last message', render: ({ seenAt }) => ago(seenAt), width: 150 },
          { id: 'amount', title: 'Amount', render: ({ amountUsd }) => money(amountUsd), isNumber: true, width: 110 },
          {
            id: 'do',
            title: 'Action',
            render: (row) => <Button onPress={() => setReleasing(row)}>Release</Button>,
            width: 120,
          },
        ]}
        empty={<Empty title="No money is unconfirmed" />}
      />
      {releasing === undefined ? null : (
        <Confirm
          title={`Release ${money(releasing.amountUsd)}?`}
          submit="Release"
          method="Budgets.Release"
          request={{ limitId: releasing.limitId, window: releasing.window, session: releasing.session }}
          onClose={() => setReleasing(undefined)}
        >
          <p>The money is free again for {releasing.limitName}. A late report of the proxy is recorded all the same.</p>
        </Confirm>
      )}
    </>
  );
}
