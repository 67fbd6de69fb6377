// Custom providers: those of the organization, and those of the platform, which only its operators change.
import { useState } from 'react';
import type { KeyFormInput, Provider, WireFormatInput } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { listOf, word } from '../../ui/format.ts';
import { Mono, Row } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn } from '../shared/row-columns.tsx';

/** The organization of the caller; nothing for the platform's. */
function useOwner() {
  const { organizationId } = useCaller();
  return organizationId === '' ? {} : { organizationId };
}

function columnsFor(organizationId: string, onDelete: (row: Provider) => void): readonly TableColumn<Provider>[] {
  const isOwn = (row: Provider) => (row.organizationId ?? '') === organizationId;
  return [
    { id: 'name', title: 'Name', render: ({ name }) => <Mono>{name}</Mono>, minWidth: 150 },
    { id: 'format', title: 'Wire format', render: ({ wireFormat }) => word(wireFormat, 'WIRE_FORMAT_'), minWidth: 150 },
    { id: 'url', title: 'Base URL', render: ({ baseUrl }) => baseUrl, minWidth: 220 },
    {
      id: 'models',
      title: 'Models',
      render: ({ models }) => models.map(({ name }) => name).join(', ') || '–',
      minWidth: 200,
    },
    { id: 'of', title: 'Of', render: (row) => <Badge>{isOwn(row) ? 'yours' : 'the platform'}</Badge>, width: 120 },
    actionsColumn(
      (row) => row.name,
      (row) => (isOwn(row) ? [{ id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) }] : []),
    ),
  ];
}

export function Providers() {
  const { organizationId } = useCaller();
  const owner = useOwner();
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Provider>();
  const list = useList('Providers.List', owner, (page) => page.providers);
  return (
    <>
      <Row>
        <Button onPress={() => setCreating(true)}>Add custom provider</Button>
      </Row>
      <ListTable
        label="Custom providers"
        columns={columnsFor(organizationId, setDeleting)}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title="There is no custom provider yet">
            A custom provider is a server of your own, or a vendor that is not shipped, with a known wire format.
          </Empty>
        }
      />
      {isCreating ? <ProviderForm onClose={() => setCreating(false)} /> : null}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete ${deleting.name}?`}
          submit="Delete provider"
          method="Providers.Delete"
          request={{ id: deleting.id }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Its models cannot be called any more. Delete its provider keys first.</p>
        </Confirm>
      )}
    </>
  );
}

const formats = [
  { id: 'gpt-provider', name: 'Chat completions (OpenAI-compatible)' },
  { id: 'responses', name: 'Responses' },
  { id: 'assistant-provider', name: 'Messages (assistant-provider)' },
  { id: 'search-provider', name: 'generateContent (search-provider)' },
  { id: 'managed-cloud-models', name: 'Converse (managed-cloud-models)' },
  { id: 'studio-ai', name: 'studio-ai' },
] as const satisfies readonly { readonly id: WireFormatInput; readonly name: string }[];

const keyForms = [
  { id: 'wire-format', name: 'As in the wire format' },
  { id: 'bearer', name: 'Authorization: Bearer' },
  { id: 'api-key-header', name: 'api-key' },
  { id: 'none', name: 'No key' },
] as const satisfies readonly { readonly id: KeyFormInput; readonly name: string }[];

function ProviderForm({ onClose }: { readonly onClose: () => void }) {
  const owner = useOwner();
  const [name, setName] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [format, setFormat] = useState<string>('gpt-provider');
  const [keyForm, setKeyForm] = useState<string>('wire-format');
  const [models, setModels] = useState('');
  const create = useChange('Providers.Create');
  const submit = async () => {
    const created = await create.run({
      ...owner,
      name,
      baseUrl,
      wireFormat: formats.find(({ id }) => id === format)?.id ?? 'gpt-provider',
      keyForm: keyForms.find(({ id }) => id === keyForm)?.id ?? 'wire-format',
      models: { models: listOf(models).map((model) => ({ name: model })) },
    });
    if (created !== undefined) onClose();
  };
  return (
    <FormDialog
      title="Add a custom provider"
      submit="Add provider"
      isPending={create.isPending}
      error={create.error}
      isDisabled={name === '' || baseUrl === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        isMono
        description="The first part of its models’ names."
      />
      <Picker label="Wire format" options={formats} value={format} onChange={setFormat} />
      <TextInput
        label="Base URL"
        type="url"
        value={baseUrl}
        onChange={setBaseUrl}
        isRequired
        placeholder="https://models.example.com/v1"
      />
      <Picker label="How the key is sent" options={keyForms} value={keyForm} onChange={setKeyForm} />
      <TextInput
        label="Known models, one to a line"
        rows={4}
        isMono
        value={models}
        onChange={setModels}
        description="They have no price until you add one: a budget refuses them."
      />
    </FormDialog>
  );
}
