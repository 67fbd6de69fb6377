// AI systems: the applications of the organization. Keys, limits and guardrails can belong to one.
import { useState } from 'react';
import type { AiSystem } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Check, TextInput } from '../../ui/fields.tsx';
import { date, listOf } from '../../ui/format.ts';
import { Page } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { ModelsField } from '../shared/models-field.tsx';
import { actionsColumn } from '../shared/row-columns.tsx';

function columnsFor(
  onEdit: (row: AiSystem) => void,
  onDelete: (row: AiSystem) => void,
): readonly TableColumn<AiSystem>[] {
  return [
    { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 180 },
    {
      id: 'state',
      title: 'State',
      render: ({ active }) => <Badge tone={active ? 'good' : 'warn'}>{active ? 'active' : 'suspended'}</Badge>,
      width: 120,
    },
    { id: 'models', title: 'Models', render: ({ allowedModels }) => allowedModels.join(', ') || 'all', minWidth: 200 },
    { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 140 },
    actionsColumn(
      (row) => row.name,
      (row) => [
        { id: 'edit', name: 'Change', run: () => onEdit(row) },
        { id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) },
      ],
    ),
  ];
}

export function AiSystemsPage() {
  const { organizationId } = useCaller();
  const [form, setForm] = useState<{ readonly system: AiSystem | undefined }>();
  const [deleting, setDeleting] = useState<AiSystem>();
  const list = useList('AiSystems.List', { organizationId }, (page) => page.aiSystems);
  return (
    <Page
      title="AI systems"
      description="The applications of your organization."
      actions={
        <Button look="primary" onPress={() => setForm({ system: undefined })}>
          Add AI system
        </Button>
      }
    >
      <ListTable
        label="AI systems"
        columns={columnsFor((system) => setForm({ system }), setDeleting)}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title="There is no AI system yet">Add one for each application, so that its cost is known.</Empty>
        }
      />
      {form === undefined ? null : <SystemForm system={form.system} onClose={() => setForm(undefined)} />}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete ${deleting.name}?`}
          submit="Delete AI system"
          method="AiSystems.Delete"
          request={{ id: deleting.id }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Its keys are revoked with it, and nobody can undo it.</p>
        </Confirm>
      )}
    </Page>
  );
}

function SystemForm({ system, onClose }: { readonly system: AiSystem | undefined; readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const [name, setName] = useState(system?.name ?? '');
  const [models, setModels] = useState(system?.allowedModels.join('\n') ?? '');
  const [active, setActive] = useState(system?.active ?? true);
  const create = useChange('AiSystems.Create');
  const update = useChange('AiSystems.Update');
  const submit = async () => {
    const fields = { name, allowedModels: { globs: listOf(models) } };
    const saved =
      system === undefined
        ? await create.run({ organizationId, ...fields })
        : await update.run({ id: system.id, ifRevision: system.revision, active, ...fields });
    if (saved !== undefined) onClose();
  };
  return (
    <FormDialog
      title={system === undefined ? 'Add an AI system' : `Change ${system.name}`}
      submit={system === undefined ? 'Add AI system' : 'Save'}
      isPending={create.isPending || update.isPending}
      error={create.error ?? update.error}
      isDisabled={name.trim() === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus maxLength={100} />
      <ModelsField value={models} onChange={setModels} />
      {system === undefined ? null : (
        <Check isSelected={active} onChange={setActive}>
          Active: requests with its keys are served
        </Check>
      )}
    </FormDialog>
  );
}
