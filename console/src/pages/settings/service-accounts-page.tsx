// Service accounts: machines that exchange tokens of outside issuers for operator tokens of an hour.
import { useState } from 'react';
import type { ServiceAccount, TrustRow } from '../../../generated/contract.ts';
import { callerRole, useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ago, dateTime } from '../../ui/format.ts';
import { Facts, Mono, Page, Stack } from '../../ui/layout.tsx';
import type { Action } from '../../ui/menu.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn, switchColumn } from '../shared/row-columns.tsx';
import { ServiceAccountForm } from './service-account-form.tsx';

type Doing = { readonly what: 'show' | 'edit' | 'delete'; readonly account: ServiceAccount };

export function ServiceAccountsPage() {
  const { organizationId, permissions } = useCaller();
  const mayChange = permissions.has('ServiceAccounts.Update');
  const [isCreating, setCreating] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const list = useList('ServiceAccounts.List', { organizationId }, (page) => page.serviceAccounts);
  const actionsOf = (account: ServiceAccount): readonly Action[] => {
    const start = (what: Doing['what']) => () => setDoing({ what, account });
    return [
      { id: 'show', name: 'Show', run: start('show') },
      ...(mayChange ? [{ id: 'edit', name: 'Change', run: start('edit') }] : []),
      ...(mayChange ? [{ id: 'delete', name: 'Delete', isDangerous: true, run: start('delete') }] : []),
    ];
  };
  return (
    <Page
      title="Service accounts"
      description="Machines, such as CI jobs and controllers. They exchange a token of an issuer for an operator token of an hour, and store none."
      actions={
        mayChange ? (
          <Button look="primary" onPress={() => setCreating(true)}>
            Add service account
          </Button>
        ) : undefined
      }
    >
      <ListTable
        label="Service accounts"
        list={list}
        idOf={({ id }) => id}
        onOpen={(account) => setDoing({ what: 'show', account })}
        columns={[
          { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 160 },
          { id: 'role', title: 'Role', render: ({ role }) => callerRole(role), width: 100 },
          { id: 'trust', title: 'Trusts', render: ({ trust }) => trust.map(trustText).join('; '), minWidth: 260 },
          {
            id: 'exchange',
            title: 'Last exchange',
            render: ({ lastExchangeAt }) => (lastExchangeAt === undefined ? 'never' : ago(lastExchangeAt)),
            width: 150,
          },
          switchColumn<ServiceAccount, 'ServiceAccounts.Update'>({
            ...{ id: 'active', title: 'Active', width: 110, method: 'ServiceAccounts.Update' },
            isOn: ({ active }) => active,
            requestFor: ({ id }, active) => ({ id, active }),
          }),
          actionsColumn(({ name }) => name, actionsOf),
        ]}
        empty={
          <Empty title="There is no service account">
            With one, a CI job or a controller calls the gateway without a stored token.
          </Empty>
        }
      />
      {isCreating ? <ServiceAccountForm account={undefined} onClose={() => setCreating(false)} /> : null}
      {doing === undefined ? null : <Do {...doing} onClose={() => setDoing(undefined)} />}
    </Page>
  );
}

function trustText({ issuer, claims }: TrustRow): string {
  return [issuer, ...claims.map(({ claim, value }) => `${claim}=${value}`)].join(' ');
}

function Do({ what, account, onClose }: Doing & { readonly onClose: () => void }) {
  switch (what) {
    case 'show':
      return <Shown account={account} onClose={onClose} />;
    case 'edit':
      return <ServiceAccountForm account={account} onClose={onClose} />;
    case 'delete':
      return (
        <Confirm
          title={`Delete ${account.name}?`}
          submit="Delete service account"
          method="ServiceAccounts.Delete"
          request={{ id: account.id }}
          onClose={onClose}
        >
          <p>Its tokens end and its keys are revoked with it. Switching it off can be undone.</p>
        </Confirm>
      );
  }
}

function Shown({ account, onClose }: { readonly account: ServiceAccount; readonly onClose: () => void }) {
  return (
    <Dialog title={account.name} onClose={onClose} isWide>
      <Stack>
        <Facts
          facts={[
            ['Id, which programs send', <Mono key="id">{account.id}</Mono>],
            ['Role', callerRole(account.role)],
            ['State', account.active ? 'active' : 'off: it gets no token, and its tokens and keys are refused'],
            ['Created', dateTime(account.createdAt)],
          ]}
        />
        {account.trust.map(({ id, issuer, audience, claims, lastExchangeAt }) => (
          <Facts
            key={id}
            facts={[
              ['Issuer', <Mono key="issuer">{issuer}</Mono>],
              ['Audience', <Mono key="audience">{audience}</Mono>],
              ...claims.map(({ claim, value }) => [claim, <Mono key={claim}>{value}</Mono>] as const),
              ['Last exchange', lastExchangeAt === undefined ? 'never' : dateTime(lastExchangeAt)],
            ]}
          />
        ))}
      </Stack>
    </Dialog>
  );
}
