// OpenID Connect issuers: the list, with the address that each needs, a try, and their forms.
import { useState } from 'react';
import type { Issuer } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { signInAtIssuer } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { date } from '../../ui/format.ts';
import { Mono, Panel, Row } from '../../ui/layout.tsx';
import type { Action } from '../../ui/menu.tsx';
import { Empty, ErrorNote } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn, switchColumn } from '../shared/row-columns.tsx';
import { IssuerForm } from './issuer-form.tsx';

type Doing = { readonly what: 'address' | 'edit' | 'delete'; readonly issuer: Issuer };

export function Issuers() {
  const { organizationId, permissions } = useCaller();
  const mayChange = permissions.has('SignIn.CreateIssuer');
  const [isCreating, setCreating] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const [error, setError] = useState<Error | null>(null);
  const list = useList('SignIn.ListIssuers', { organizationId }, (page) => page.issuers);
  const actionsOf = (issuer: Issuer): readonly Action[] => {
    const doing = (what: Doing['what']) => () => setDoing({ what, issuer });
    const attempt = { issuerId: issuer.id, organization: '', returnPath: 'settings/sign-in' };
    return [
      { id: 'address', name: 'Redirect address', run: doing('address') },
      { id: 'try', name: 'Try to sign in there', run: () => void signInAtIssuer(attempt).catch(setError) },
      ...(mayChange ? [{ id: 'edit', name: 'Change', run: doing('edit') }] : []),
      ...(mayChange ? [{ id: 'delete', name: 'Delete', isDangerous: true, run: doing('delete') }] : []),
    ];
  };
  return (
    <Panel
      title="OpenID Connect issuers"
      actions={
        mayChange ? (
          <Button look="primary" onPress={() => setCreating(true)}>
            Add issuer
          </Button>
        ) : undefined
      }
    >
      <ErrorNote error={error} />
      <ListTable
        label="Issuers"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 150 },
          { id: 'url', title: 'URL', render: ({ url }) => <Mono>{url}</Mono>, minWidth: 240 },
          { id: 'proof', title: 'Authenticates with', render: credentialOf, width: 170 },
          ...(mayChange
            ? [
                switchColumn<Issuer, 'SignIn.UpdateIssuer'>({
                  ...{ id: 'enabled', title: 'Enabled', width: 110, method: 'SignIn.UpdateIssuer' },
                  isOn: ({ enabled }) => enabled,
                  requestFor: ({ id }, enabled) => ({ id, enabled }),
                }),
              ]
            : []),
          { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 130 },
          actionsColumn(({ name }) => name, actionsOf),
        ]}
        empty={<Empty title="There is no issuer">People sign in with operator tokens until there is one.</Empty>}
      />
      {isCreating ? (
        <IssuerForm
          issuer={undefined}
          onClose={(made) => {
            setCreating(false);
            if (made !== undefined) setDoing({ what: 'address', issuer: made });
          }}
        />
      ) : null}
      {doing === undefined ? null : <Do {...doing} onClose={() => setDoing(undefined)} />}
    </Panel>
  );
}

function credentialOf({ hasSecret, hasPrivateKey }: Issuer): string {
  if (hasPrivateKey) return 'a private key';
  return hasSecret ? 'a secret' : 'nothing: public client';
}

function Do({ what, issuer, onClose }: Doing & { readonly onClose: () => void }) {
  switch (what) {
    case 'address':
      return (
        <Dialog title={`Register at ${issuer.name}`} onClose={onClose} isWide>
          <p>The redirect URI, to which the issuer sends people back:</p>
          <CodeBlock text={address(`auth/callback/${issuer.id}`)} label="redirect URI" />
          <p>The address after a logout, and the one for its own logouts (back-channel):</p>
          <CodeBlock text={address('')} label="address after a logout" />
          <CodeBlock text={address(`auth/backchannel-logout/${issuer.id}`)} label="back-channel logout" />
          <Row>
            <Button look="primary" onPress={onClose}>
              Done
            </Button>
          </Row>
        </Dialog>
      );
    case 'edit':
      return <IssuerForm issuer={issuer} onClose={onClose} />;
    case 'delete':
      return (
        <Confirm
          title={`Delete ${issuer.name}?`}
          submit="Delete issuer"
          method="SignIn.DeleteIssuer"
          request={{ id: issuer.id }}
          onClose={onClose}
        >
          <p>Its sessions end now, and who people are there is forgotten. The people stay.</p>
        </Confirm>
      );
  }
}

function address(path: string): string {
  return new URL(path, document.baseURI).href;
}
