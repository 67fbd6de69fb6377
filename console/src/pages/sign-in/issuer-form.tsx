// Adds an issuer, or changes one. A secret or key that is stored is never shown; an empty field leaves it.
import { useState } from 'react';
import type { Issuer, RoleClaimInput } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Check, Picker, TextInput } from '../../ui/fields.tsx';
import { listOf } from '../../ui/format.ts';

const unknownPeople = [
  { id: 'refuse', name: 'are refused' },
  { id: 'member', name: 'are members' },
] as const;

export interface IssuerFormProps {
  readonly issuer: Issuer | undefined;
  /** @param made the new issuer */
  readonly onClose: (made?: Issuer) => void;
}

export function IssuerForm({ issuer, onClose }: IssuerFormProps) {
  const { organizationId } = useCaller();
  const [fields, setFields] = useState(() => fieldsOf(issuer));
  const [problem, setProblem] = useState<Error | null>(null);
  const set = (changed: Partial<typeof fields>) => setFields({ ...fields, ...changed });
  const create = useChange('SignIn.CreateIssuer');
  const update = useChange('SignIn.UpdateIssuer');
  const submit = async () => {
    const rows = claimsIn(fields.roles);
    if (rows === undefined)
      return setProblem(new Error('each line of the roles must be claim=value:admin or claim=value:member'));
    setProblem(null);
    const { name, clientId, secret, privateKey, privateKeyId, trustEmail } = fields;
    const common = {
      ...{ name, clientId, trustEmail, unknownPerson: fields.unknownPerson },
      ...(secret !== '' && { secret }),
      ...(privateKey !== '' && { privateKey }),
      ...((privateKeyId !== '' || issuer !== undefined) && { privateKeyId }),
    };
    if (issuer === undefined) {
      const made = await create.run({ ...common, organizationId, url: fields.url, roles: rows });
      if (made !== undefined) onClose(made);
    } else if (await update.run({ ...common, id: issuer.id, ifRevision: issuer.revision, roles: { rows } })) {
      onClose();
    }
  };
  return (
    <FormDialog
      title={issuer === undefined ? 'Add an issuer' : `Change ${issuer.name}`}
      submit={issuer === undefined ? 'Add issuer' : 'Save'}
      isPending={create.isPending || update.isPending}
      error={problem ?? create.error ?? update.error}
      isDisabled={fields.name.trim() === '' || fields.clientId === '' || fields.url === ''}
      onSubmit={() => void submit()}
      onClose={() => onClose()}
    >
      <TextInput label="Name" value={fields.name} onChange={(name) => set({ name })} isRequired autoFocus />
      {issuer === undefined ? (
        <TextInput
          label="URL"
          type="url"
          value={fields.url}
          onChange={(url) => set({ url })}
          isRequired
          description="Without /.well-known, such as https://acme.okta.com"
        />
      ) : null}
      <TextInput label="Client id" value={fields.clientId} onChange={(clientId) => set({ clientId })} isRequired />
      <CredentialFields fields={fields} set={set} hasSecret={issuer?.hasSecret ?? false} />
      {organizationId === '' ? null : <RoleFields fields={fields} set={set} />}
      <Check isSelected={fields.trustEmail} onChange={(trustEmail) => set({ trustEmail })}>
        Trust its addresses in verified domains, also without email_verified
      </Check>
    </FormDialog>
  );
}

type Fields = ReturnType<typeof fieldsOf>;

interface FieldsProps {
  readonly fields: Fields;
  readonly set: (changed: Partial<Fields>) => void;
}

/** Nothing that is stored is shown. */
function CredentialFields({ fields, set, hasSecret }: FieldsProps & { readonly hasSecret: boolean }) {
  return (
    <>
      <TextInput
        label="Client secret"
        type="password"
        value={fields.secret}
        onChange={(secret) => set({ secret })}
        description={hasSecret ? 'Empty: the stored one stays.' : 'Empty: a public client, or a private key.'}
      />
      <TextInput
        label="Private key in place of a secret"
        value={fields.privateKey}
        onChange={(privateKey) => set({ privateKey })}
        rows={3}
        isMono
        description="PEM: RSA from 2048 bits, or EC on P-256 (private_key_jwt)."
      />
      <TextInput
        label="Id of the private key"
        value={fields.privateKeyId}
        onChange={(privateKeyId) => set({ privateKeyId })}
      />
    </>
  );
}

/** An issuer of the platform gives no roles. */
function RoleFields({ fields, set }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Roles by claims"
        value={fields.roles}
        onChange={(roles) => set({ roles })}
        rows={3}
        isMono
        description="A line for each, in order: groups=gateway-admins:admin"
      />
      <Picker
        label="People without such a claim"
        options={unknownPeople}
        value={fields.unknownPerson}
        onChange={(id) => set({ unknownPerson: id === 'member' ? 'member' : 'refuse' })}
      />
    </>
  );
}

function fieldsOf(issuer: Issuer | undefined) {
  const roles = issuer?.roles.map(
    ({ claim, value, role }) => `${claim}=${value}:${role === 'ROLE_ADMIN' ? 'admin' : 'member'}`,
  );
  return {
    name: issuer?.name ?? '',
    url: issuer?.url ?? '',
    clientId: issuer?.clientId ?? '',
    secret: '',
    privateKey: '',
    privateKeyId: issuer?.privateKeyId ?? '',
    roles: (roles ?? []).join('\n'),
    unknownPerson: issuer?.unknownPerson === 'UNKNOWN_PERSON_MEMBER' ? ('member' as const) : ('refuse' as const),
    trustEmail: issuer?.trustEmail ?? false,
  };
}

/** Undefined if a line has another form. */
function claimsIn(text: string): RoleClaimInput[] | undefined {
  const rows = listOf(text).map((line) => {
    const [, claim, value, role] = /^([^=]+)=(.+):(admin|member)$/.exec(line) ?? [];
    return claim === undefined || value === undefined
      ? undefined
      : { claim, value, role: role === 'admin' ? ('admin' as const) : ('member' as const) };
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}
