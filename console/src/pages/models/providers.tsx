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

interface RowActions {
  readonly onEdit: (row: Provider) => void;
  readonly onDelete: (row: Provider) => void;
}

function columnsFor(organizationId: string, { onEdit, onDelete }: RowActions): readonly TableColumn<Provider>[] {
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
      (row) =>
        isOwn(row)
          ? [
              { id: 'edit', name: 'Change', run: () => onEdit(row) },
              { id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) },
            ]
          : [],
    ),
  ];
}

export function Providers() {
  const { organizationId } = useCaller();
  const owner = useOwner();
  const [isCreating, setCreating] = useState(false);
  const [editing, setEditing] = useState<Provider>();
  const [deleting, setDeleting] = useState<Provider>();
  const list = useList('Providers.List', owner, (page) => page.providers);
  return (
    <>
      <Row>
        <Button onPress={() => setCreating(true)}>Add custom provider</Button>
      </Row>
      <ListTable
        label="Custom providers"
        columns={columnsFor(organizationId, { onEdit: setEditing, onDelete: setDeleting })}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title="There is no custom provider yet">
            A custom provider is a server of your own, or a vendor that is not shipped, with a known wire format.
          </Empty>
        }
      />
      {isCreating ? <ProviderForm provider={undefined} onClose={() => setCreating(false)} /> : null}
      {editing === undefined ? null : <ProviderForm provider={editing} onClose={() => setEditing(undefined)} />}
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

interface ProviderFormProps {
  /** Undefined: a new one. */
  readonly provider: Provider | undefined;
  readonly onClose: () => void;
}

function ProviderForm({ provider, onClose }: ProviderFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(provider));
  const { save, isPending, error } = useSave(provider);
  const set = (change: Partial<ProviderFields>) => setFields({ ...fields, ...change });
  const submit = async () => {
    if ((await save(fields)) !== undefined) onClose();
  };
  return (
    <FormDialog
      title={provider === undefined ? 'Add a custom provider' : `Change ${provider.name}`}
      submit={provider === undefined ? 'Add provider' : 'Save'}
      isPending={isPending}
      error={error}
      isDisabled={fields.name === '' || fields.baseUrl === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {provider === undefined ? (
        <>
          <TextInput
            label="Name"
            value={fields.name}
            onChange={(name) => set({ name })}
            isRequired
            autoFocus
            isMono
            description="The first part of its models’ names."
          />
          <Picker label="Wire format" options={formats} value={fields.format} onChange={(format) => set({ format })} />
        </>
      ) : null}
      <TextInput
        label="Base URL"
        type="url"
        value={fields.baseUrl}
        onChange={(baseUrl) => set({ baseUrl })}
        isRequired
        placeholder="https://models.example.com/v1"
        {...(provider === undefined ? {} : { description: 'It stays as long as provider keys are stored for it.' })}
      />
      <Picker
        label="How the key is sent"
        options={keyForms}
        value={fields.keyForm}
        onChange={(keyForm) => set({ keyForm })}
      />
      <TextInput
        label="Known models, one to a line"
        rows={4}
        isMono
        value={fields.models}
        onChange={(models) => set({ models })}
        description="Models that stay keep their prices and limits. New ones have no price until you add one: a budget refuses them."
      />
    </FormDialog>
  );
}

interface ProviderFields {
  readonly name: string;
  readonly baseUrl: string;
  readonly format: string;
  readonly keyForm: string;
  readonly models: string;
}

function fieldsOf(provider: Provider | undefined): ProviderFields {
  const keyForm = provider && word(provider.keyForm, 'KEY_FORM_').replaceAll(' ', '-');
  return {
    name: provider?.name ?? '',
    baseUrl: provider?.baseUrl ?? '',
    format: 'gpt-provider',
    keyForm: keyForms.find(({ id }) => id === keyForm)?.id ?? 'wire-format',
    models: provider?.models.map(({ name }) => name).join('\n') ?? '',
  };
}

function useSave(provider: Provider | undefined) {
  const owner = useOwner();
  const create = useChange('Providers.Create');
  const update = useChange('Providers.Update');
  const save = ({ name, baseUrl, format, keyForm, models }: ProviderFields) => {
    const form = keyForms.find(({ id }) => id === keyForm)?.id ?? 'wire-format';
    const known = new Map(provider?.models.map((model) => [model.name, model]));
    const listed = { models: listOf(models).map((model) => known.get(model) ?? { name: model }) };
    if (provider === undefined) {
      const wireFormat = formats.find(({ id }) => id === format)?.id ?? 'gpt-provider';
      return create.run({ ...owner, name, baseUrl, wireFormat, keyForm: form, models: listed });
    }
    // What is sent unchanged may be refused beside stored keys, so only changes are sent.
    const isOtherForm = form !== fieldsOf(provider).keyForm;
    return update.run({
      ...{ id: provider.id, ifRevision: provider.revision, models: listed },
      ...(baseUrl === provider.baseUrl ? {} : { baseUrl }),
      ...(isOtherForm ? { keyForm: form } : {}),
    });
  };
  return { save, isPending: create.isPending || update.isPending, error: create.error ?? update.error };
}
