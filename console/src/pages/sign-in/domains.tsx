// E-mail domains by which people find the organization's issuers, with the records that prove them.
import { useState } from 'react';
import type { SignInDomain } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ago } from '../../ui/format.ts';
import { Panel, Row } from '../../ui/layout.tsx';
import { Empty, ErrorNote } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { AddDomain, RemoveDomain } from '../shared/change-domain.tsx';
import { DomainState } from '../shared/domain-state.tsx';
import { actionsColumn } from '../shared/row-columns.tsx';

export function Domains() {
  const { organizationId, permissions } = useCaller();
  const mayChange = permissions.has('SignIn.AddDomain');
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<string>();
  const [removing, setRemoving] = useState<SignInDomain>();
  const list = useList('SignIn.ListDomains', { organizationId }, (page) => page.domains);
  const domain = list.rows.find(({ id }) => id === shown);
  return (
    <Panel
      title="E-mail domains"
      actions={
        mayChange ? (
          <Button look="primary" onPress={() => setAdding(true)}>
            Add domain
          </Button>
        ) : undefined
      }
    >
      <ListTable
        label="E-mail domains"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'domain', title: 'Domain', render: (row) => row.domain, minWidth: 200 },
          { id: 'state', title: 'State', render: (row) => <DomainState domain={row} />, width: 150 },
          {
            id: 'checked',
            title: 'Checked',
            render: ({ checkedAt }) => (checkedAt ? ago(checkedAt) : 'never'),
            width: 150,
          },
          actionsColumn<SignInDomain>(
            (row) => row.domain,
            (row) => [
              { id: 'record', name: 'Record and check', run: () => setShown(row.id) },
              ...(mayChange ? [{ id: 'remove', name: 'Remove', isDangerous: true, run: () => setRemoving(row) }] : []),
            ],
          ),
        ]}
        empty={<Empty title="There is no domain">With one, people find the issuers by their e-mail address.</Empty>}
      />
      {isAdding ? (
        <AddDomain
          organizationId={organizationId}
          description="Such as example.com"
          onClose={(made) => {
            setAdding(false);
            setShown(made?.id);
          }}
        />
      ) : null}
      {domain === undefined ? null : <RecordDialog domain={domain} onClose={() => setShown(undefined)} />}
      {removing === undefined ? null : <RemoveDomain domain={removing} onClose={() => setRemoving(undefined)} />}
    </Panel>
  );
}

function RecordDialog({ domain, onClose }: { readonly domain: SignInDomain; readonly onClose: () => void }) {
  const { permissions } = useCaller();
  const check = useChange('SignIn.CheckDomain');
  return (
    <Dialog title={domain.domain} onClose={onClose} isWide>
      <p>Publish this TXT record in DNS, then check it. It is read again every week.</p>
      <CodeBlock text={domain.recordName} label="name of the record" />
      <CodeBlock text={domain.recordValue} label="value of the record" />
      <ErrorNote error={check.error} />
      <Row>
        <DomainState domain={domain} />
        {permissions.has('SignIn.CheckDomain') ? (
          <Button isPending={check.isPending} onPress={() => void check.run({ id: domain.id })}>
            Check now
          </Button>
        ) : null}
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      </Row>
    </Dialog>
  );
}
