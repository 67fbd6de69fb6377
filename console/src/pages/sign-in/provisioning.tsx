// Tokens with which an issuer provisions people and groups by SCIM.
import { useState } from 'react';
import type { ScimToken } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useAll, useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { ago, date } from '../../ui/format.ts';
import { Filters, Mono, Muted, Panel, Stack } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';

export function Provisioning() {
  const { organizationId } = useCaller();
  const [chosen, setChosen] = useState<string>();
  const issuers = useAll('SignIn.ListIssuers', { organizationId }, (page) => page.issuers);
  const issuerId = chosen ?? issuers[0]?.id;
  if (issuerId === undefined) {
    return (
      <Panel title="Tokens of SCIM">
        <Empty title="There is no issuer">Add one first: a token of SCIM belongs to an issuer.</Empty>
      </Panel>
    );
  }
  return (
    <Stack>
      <Filters>
        <Picker
          label="Issuer"
          isCompact
          options={issuers.map(({ id, name }) => ({ id, name }))}
          value={issuerId}
          onChange={setChosen}
        />
      </Filters>
      <Tokens key={issuerId} issuerId={issuerId} />
    </Stack>
  );
}

function Tokens({ issuerId }: { readonly issuerId: string }) {
  const { permissions } = useCaller();
  const mayChange = permissions.has('ScimTokens.Create');
  const [isCreating, setCreating] = useState(false);
  const [value, setValue] = useState<string>();
  const [revoking, setRevoking] = useState<ScimToken>();
  const list = useList('ScimTokens.List', { issuerId }, (page) => page.scimTokens);
  return (
    <Panel
      title="Tokens of SCIM"
      actions={
        mayChange ? (
          <Button look="primary" onPress={() => setCreating(true)}>
            Make token
          </Button>
        ) : undefined
      }
    >
      <Stack>
        <CodeBlock text={new URL('../scim/v2', document.baseURI).href} label="URL for the issuer" />
        <Muted>
          People whom the issuer deactivates lose sessions, tokens and keys at once. Groups give roles by the issuer’s
          rows for the claim groups; nobody becomes an owner.
        </Muted>
        <ListTable
          label="Tokens of SCIM"
          list={list}
          idOf={({ id }) => id}
          columns={[
            { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 160 },
            { id: 'hint', title: 'Ends with', render: ({ hint }) => <Mono>…{hint}</Mono>, width: 110 },
            { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 130 },
            {
              id: 'used',
              title: 'Last used',
              render: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : ago(lastUsedAt)),
              width: 150,
            },
            { id: 'state', title: 'State', render: state, width: 110 },
            ...(mayChange
              ? [
                  {
                    ...{ id: 'do', title: 'Action', width: 120 },
                    render: (token: ScimToken) =>
                      token.revokedAt === undefined ? <Button onPress={() => setRevoking(token)}>Revoke</Button> : null,
                  },
                ]
              : []),
          ]}
          empty={<Empty title="There is no token" />}
        />
      </Stack>
      {isCreating ? (
        <MakeToken
          issuerId={issuerId}
          onClose={(made) => {
            setCreating(false);
            setValue(made);
          }}
        />
      ) : null}
      {value === undefined ? null : (
        <SecretDialog title="The token of SCIM" name="SCIM token" value={value} onClose={() => setValue(undefined)} />
      )}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          submit="Revoke token"
          method="ScimTokens.Revoke"
          request={{ id: revoking.id }}
          onClose={() => setRevoking(undefined)}
        >
          <p>The issuer provisions nobody with it any more. People stay as they are now.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function state({ revokedAt }: ScimToken) {
  return revokedAt === undefined ? <Badge tone="good">active</Badge> : <Badge tone="bad">revoked</Badge>;
}

interface MakeTokenProps {
  readonly issuerId: string;
  readonly onClose: (value?: string) => void;
}

function MakeToken({ issuerId, onClose }: MakeTokenProps) {
  const [name, setName] = useState('');
  const create = useChange('ScimTokens.Create');
  const submit = async () => {
    const made = await create.run({ issuerId, name });
    if (made !== undefined) onClose(made.value);
  };
  return (
    <FormDialog
      title="Make a token of SCIM"
      submit="Make token"
      isPending={create.isPending}
      error={create.error}
      isDisabled={name.trim() === ''}
      onSubmit={() => void submit()}
      onClose={() => onClose()}
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus maxLength={100} />
    </FormDialog>
  );
}
