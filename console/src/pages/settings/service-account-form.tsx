// Adds a service account, or changes one. Each trust row is issuer, audience and claims; a row that stays equal keeps its
// tokens.
import { useState } from 'react';
import type { ServiceAccount, TrustRowInput } from '../../../generated/contract.ts';
import { callerRole, useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import classes from '../../styles/controls.module.css';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { Row, Stack } from '../../ui/layout.tsx';

const roles = [
  { id: 'member', name: 'Member: its own keys' },
  { id: 'admin', name: 'Admin' },
] as const;

/** A row as it is typed. */
interface Typed {
  readonly key: number;
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
  /** A line for each: `claim=value`. */
  readonly others: string;
}

export interface ServiceAccountFormProps {
  readonly account: ServiceAccount | undefined;
  readonly onClose: () => void;
}

export function ServiceAccountForm({ account, onClose }: ServiceAccountFormProps) {
  const { organizationId } = useCaller();
  const [name, setName] = useState(account?.name ?? '');
  const [role, setRole] = useState<string>(account === undefined ? 'member' : callerRole(account.role));
  const [rows, setRows] = useState(() => typedRows(account));
  const [problem, setProblem] = useState<Error | null>(null);
  const create = useChange('ServiceAccounts.Create');
  const update = useChange('ServiceAccounts.Update');
  const submit = async () => {
    const trust = trustIn(rows);
    if (trust === undefined) return setProblem(new Error('each line of further claims must be claim=value'));
    setProblem(null);
    const chosen = roles.find(({ id }) => id === role)?.id;
    const saved =
      account === undefined
        ? await create.run({ organizationId, name, role: chosen, trust })
        : await update.run({
            id: account.id,
            ifRevision: account.revision,
            name,
            role: chosen,
            trust: { rows: trust },
          });
    if (saved !== undefined) onClose();
  };
  const change = (key: number, changed: Partial<Typed>) =>
    setRows(rows.map((row) => (row.key === key ? { ...row, ...changed } : row)));
  return (
    <FormDialog
      title={account === undefined ? 'Add a service account' : `Change ${account.name}`}
      submit={account === undefined ? 'Add service account' : 'Save'}
      isPending={create.isPending || update.isPending}
      error={problem ?? create.error ?? update.error}
      isDisabled={name.trim() === '' || rows.some(({ issuer, audience, subject }) => !issuer || !audience || !subject)}
      onSubmit={() => void submit()}
      onClose={onClose}
      isWide
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus maxLength={100} />
      <Picker label="Role" options={roles} value={role} onChange={setRole} />
      {rows.map((row, index) => (
        <TrustFields
          key={row.key}
          title={`Trust ${index + 1}`}
          row={row}
          onChange={(changed) => change(row.key, changed)}
          onRemove={() => setRows(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      <Row>
        <Button onPress={() => setRows([...rows, emptyRow(nextKey(rows))])}>Add a trust row</Button>
      </Row>
    </FormDialog>
  );
}

interface TrustFieldsProps {
  readonly title: string;
  readonly row: Typed;
  readonly onChange: (changed: Partial<Typed>) => void;
  readonly onRemove: () => void;
}

function TrustFields({ title, row, onChange, onRemove }: TrustFieldsProps) {
  return (
    <fieldset className={classes.group}>
      <legend>{title}</legend>
      <Stack>
        <TextInput
          label="Issuer"
          type="url"
          value={row.issuer}
          onChange={(issuer) => onChange({ issuer })}
          isRequired
          description="iss of its tokens, exactly, such as https://token.actions.githubusercontent.com"
        />
        <TextInput
          label="Audience"
          value={row.audience}
          onChange={(audience) => onChange({ audience })}
          isRequired
          description="The only value of aud, such as model-gateway"
        />
        <TextInput
          label="Subject"
          value={row.subject}
          onChange={(subject) => onChange({ subject })}
          isRequired
          isMono
          description="sub: the whole value, or its beginning before one * at the end. End a beginning with a separator."
        />
        <TextInput
          label="Further claims"
          value={row.others}
          onChange={(others) => onChange({ others })}
          rows={2}
          isMono
          description="A line for each: environment=production"
        />
        <Row>
          <Button look="quiet" onPress={onRemove}>
            Remove this row
          </Button>
        </Row>
      </Stack>
    </fieldset>
  );
}

function emptyRow(key: number): Typed {
  return { key, issuer: '', audience: 'model-gateway', subject: '', others: '' };
}

function nextKey(rows: readonly Typed[]): number {
  return Math.max(0, ...rows.map(({ key }) => key)) + 1;
}

function typedRows(account: ServiceAccount | undefined): readonly Typed[] {
  if (account === undefined) return [emptyRow(1)];
  return account.trust.map(({ issuer, audience, claims }, index) => ({
    key: index + 1,
    ...{ issuer, audience },
    subject: claims.find(({ claim }) => claim === 'sub')?.value ?? '',
    others: claims
      .filter(({ claim }) => claim !== 'sub')
      .map(({ claim, value }) => `${claim}=${value}`)
      .join('\n'),
  }));
}

/** Undefined if a line has another form. */
function trustIn(rows: readonly Typed[]): TrustRowInput[] | undefined {
  const trust: TrustRowInput[] = [];
  for (const { issuer, audience, subject, others } of rows) {
    const claims = [{ claim: 'sub', value: subject }];
    for (const line of others.split('\n').map((text) => text.trim())) {
      if (line === '') continue;
      const at = line.indexOf('=');
      if (at < 1) return undefined;
      claims.push({ claim: line.slice(0, at), value: line.slice(at + 1) });
    }
    trust.push({ issuer, audience, claims });
  }
  return trust;
}
