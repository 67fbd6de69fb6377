// Adds a provider key, or replaces the secret of one.
import { useState } from 'react';
import type { ProviderKey } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useAll, useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Check, Picker, TextInput } from '../../ui/fields.tsx';

const vendors = ['gpt-provider', 'studio-ai', 'managed-cloud-models', 'assistant-provider', 'search-provider'];

interface Fields {
  readonly provider: string;
  readonly name: string;
  readonly secret: string;
  readonly accessKeyId: string;
  readonly region: string;
  readonly endpoint: string;
  readonly test: boolean;
}

/** Cloud credentials have two parts; every other vendor has one key. */
function secretOf({ accessKeyId, secret }: Fields) {
  return accessKeyId === '' ? { apiKey: secret } : { accessKeyId, secretAccessKey: secret };
}

function settingsOf({ region, endpoint }: Fields) {
  return { ...(region === '' ? {} : { region }), ...(endpoint === '' ? {} : { endpoint }) };
}

export interface ProviderKeyFormProps {
  /** Undefined: a new key. */
  readonly replaced: ProviderKey | undefined;
  readonly onClose: () => void;
}

export function ProviderKeyForm({ replaced, onClose }: ProviderKeyFormProps) {
  const { organizationId } = useCaller();
  const custom = useAll('Providers.List', { organizationId }, (page) => page.providers);
  const options = [...vendors, ...custom.map(({ name }) => name)].map((name) => ({ id: name, name }));
  const [fields, setFields] = useState<Fields>({
    provider: replaced?.provider ?? 'gpt-provider',
    name: replaced?.name ?? '',
    secret: '',
    accessKeyId: '',
    region: replaced?.settings?.region ?? '',
    endpoint: replaced?.settings?.endpoint ?? '',
    test: true,
  });
  const create = useChange('ProviderKeys.Create');
  const update = useChange('ProviderKeys.Update');
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const submit = async () => {
    const { provider, name, test } = fields;
    const common = { name, secret: secretOf(fields), settings: settingsOf(fields) };
    const saved =
      replaced === undefined
        ? await create.run({ organizationId, provider, test, ...common })
        : await update.run({ id: replaced.id, ifRevision: replaced.revision, ...common });
    if (saved !== undefined) onClose();
  };
  return (
    <FormDialog
      title={replaced === undefined ? 'Add a provider key' : `Replace the secret of ${replaced.name}`}
      submit={replaced === undefined ? 'Add key' : 'Replace'}
      isPending={create.isPending || update.isPending}
      error={create.error ?? update.error}
      isDisabled={fields.name === '' || fields.secret === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Picker
        label="Provider"
        options={options}
        value={fields.provider}
        onChange={(provider) => set({ provider })}
        isDisabled={replaced !== undefined}
      />
      <TextInput label="Name" value={fields.name} onChange={(name) => set({ name })} isRequired autoFocus />
      {fields.provider === 'managed-cloud-models' ? (
        <TextInput
          label="Access key id"
          value={fields.accessKeyId}
          onChange={(accessKeyId) => set({ accessKeyId })}
          description="Empty if the secret is an API key."
        />
      ) : null}
      <TextInput
        label="Secret"
        type="password"
        value={fields.secret}
        onChange={(secret) => set({ secret })}
        isRequired
        description="It is stored sealed, and nobody can read it here again."
      />
      <TextInput label="Region" value={fields.region} onChange={(region) => set({ region })} />
      {fields.provider === 'studio-ai' ? (
        <TextInput label="Endpoint" value={fields.endpoint} onChange={(endpoint) => set({ endpoint })} />
      ) : null}
      {replaced === undefined ? (
        <Check isSelected={fields.test} onChange={(test) => set({ test })}>
          Test it first with a free call
        </Check>
      ) : null}
    </FormDialog>
  );
}
