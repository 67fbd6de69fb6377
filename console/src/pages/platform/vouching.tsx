// E-mail domains of an organization: a platform operator vouches for one whose record cannot be published.
import { useState } from 'react';
import type { SignInDomain } from '../../../generated/contract.ts';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ago } from '../../ui/format.ts';
import { Panel } from '../../ui/layout.tsx';
import type { Action } from '../../ui/menu.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { AddDomain, RemoveDomain } from '../shared/change-domain.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { DomainState } from '../shared/domain-state.tsx';
import { actionsColumn } from '../shared/row-columns.tsx';

type Doing = { readonly what: 'vouch' | 'remove'; readonly domain: SignInDomain };

export function Vouching({ organizationId }: { readonly organizationId: string }) {
  const [isAdding, setAdding] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const list = useList('SignIn.ListDomains', { organizationId }, (page) => page.domains);
  const actionsOf = (domain: SignInDomain): readonly Action[] => [
    ...(domain.state === 'SIGN_IN_DOMAIN_STATE_VOUCHED'
      ? []
      : [{ id: 'vouch', name: 'Vouch for it', run: () => setDoing({ what: 'vouch', domain }) }]),
    { id: 'remove', name: 'Remove', isDangerous: true, run: () => setDoing({ what: 'remove', domain }) },
  ];
  return (
    <Panel title="E-mail domains" actions={<Button onPress={() => setAdding(true)}>Add domain</Button>}>
      <ListTable
        label="E-mail domains"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'domain', title: 'Domain', render: ({ domain }) => domain, minWidth: 160 },
          { id: 'state', title: 'State', render: (domain) => <DomainState domain={domain} />, width: 130 },
          {
            id: 'checked',
            title: 'Checked',
            render: ({ checkedAt }) => (checkedAt === undefined ? 'never' : ago(checkedAt)),
            width: 130,
          },
          actionsColumn(({ domain }) => domain, actionsOf),
        ]}
        empty={<Empty title="It has claimed no domain" />}
      />
      {isAdding ? (
        <AddDomain
          organizationId={organizationId}
          description="Such as example.com. It counts once you vouch for it, or its record is there."
          onClose={() => setAdding(false)}
        />
      ) : null}
      {doing === undefined ? null : <Do {...doing} onClose={() => setDoing(undefined)} />}
    </Panel>
  );
}

function Do({ what, domain, onClose }: Doing & { readonly onClose: () => void }) {
  switch (what) {
    case 'vouch':
      return (
        <Confirm
          title={`Vouch for ${domain.domain}?`}
          submit="Vouch for it"
          method="SignIn.CheckDomain"
          request={{ id: domain.id, vouch: true }}
          onClose={onClose}
        >
          <p>
            Everybody with such an address is then led to this organization’s issuers, and issuers that it trusts with
            addresses are believed about this domain. DNS is not read. Be sure that the domain is theirs.
          </p>
        </Confirm>
      );
    case 'remove':
      return <RemoveDomain domain={domain} onClose={onClose} />;
  }
}
