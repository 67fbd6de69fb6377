// Routes: names that callers use as models, with their targets.
import { useState } from 'react';
import type { Route, RouteGroup } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { word } from '../../ui/format.ts';
import { Mono, Row } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn, switchColumn } from '../shared/row-columns.tsx';

/** Such as "a 90, b 10 → c": groups in their order, targets with their weights. */
function targetsText(groups: readonly RouteGroup[]): string {
  return groups
    .map(({ targets }) =>
      targets.map(({ model, weight }) => (targets.length > 1 ? `${model} ${weight ?? 1}` : model)).join(', '),
    )
    .join(' → ');
}

function columnsFor(onEdit: (row: Route) => void, onDelete: (row: Route) => void): readonly TableColumn<Route>[] {
  return [
    { id: 'name', title: 'Name', render: ({ name }) => <Mono>{name}</Mono>, minWidth: 160 },
    { id: 'targets', title: 'Targets', render: ({ groups }) => targetsText(groups), minWidth: 280 },
    {
      id: 'choice',
      title: 'Choice',
      render: ({ groups }) =>
        word(groups[0]?.choice ?? 'GROUP_CHOICE_WEIGHTED', 'GROUP_CHOICE_').replace('unspecified', 'weighted'),
      width: 120,
    },
    switchColumn({
      id: 'active',
      title: 'Active',
      width: 100,
      method: 'Routes.Update',
      isOn: ({ active }) => active,
      requestFor: ({ id }, next) => ({ id, active: next }),
    }),
    actionsColumn(
      (row) => row.name,
      (row) => [
        { id: 'edit', name: 'Change targets', run: () => onEdit(row) },
        { id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) },
      ],
    ),
  ];
}

export function Routes() {
  const { organizationId } = useCaller();
  const [form, setForm] = useState<{ readonly route: Route | undefined }>();
  const [deleting, setDeleting] = useState<Route>();
  const list = useList('Routes.List', { organizationId }, (page) => page.routes);
  return (
    <>
      <Row>
        <Button onPress={() => setForm({ route: undefined })}>Create route</Button>
      </Row>
      <ListTable
        label="Routes"
        columns={columnsFor((route) => setForm({ route }), setDeleting)}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title="There is no route yet">A route is a name whose requests go to one of several models.</Empty>
        }
      />
      {form === undefined ? null : <RouteForm route={form.route} onClose={() => setForm(undefined)} />}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete ${deleting.name}?`}
          submit="Delete route"
          method="Routes.Delete"
          request={{ id: deleting.id }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Requests for this name are refused, because no model has it.</p>
        </Confirm>
      )}
    </>
  );
}

/** Lines of `model weight`, groups separated by an empty line. */
function groupsOf(text: string) {
  return text
    .split(/\n\s*\n/)
    .map((group) => group.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      targets: lines.map((line) => {
        const [model = '', weight = '1'] = line.trim().split(/\s+/);
        return { model, weight: Number(weight) };
      }),
    }));
}

function textOf(route: Route | undefined): string {
  const lines = ({ targets }: RouteGroup) => targets.map(({ model, weight }) => `${model} ${weight ?? 1}`).join('\n');
  return route?.groups.map(lines).join('\n\n') ?? '';
}

/** The value of an enum, for a request; undefined if the response has none. */
function specified<T extends string>(value: T | undefined): Exclude<T, `${string}_UNSPECIFIED`> | undefined {
  const isSpecified = (one: T): one is Exclude<T, `${string}_UNSPECIFIED`> => !one.endsWith('_UNSPECIFIED');
  return value !== undefined && isSpecified(value) ? value : undefined;
}

/** What the form does not show stays: a target has the settings of the one with its model in the same group. */
function mergedGroups(text: string, before: readonly RouteGroup[]) {
  return groupsOf(text).map(({ targets }, index) => {
    const group = before[index];
    return {
      conditions: conditionsOf(group),
      inFlightMax: group?.inFlightMax,
      choice: specified(group?.choice),
      targets: targets.map((target) => {
        const found = group?.targets.find(({ model }) => model === target.model);
        return { ...found, reasoningEffort: specified(found?.reasoningEffort), ...target };
      }),
    };
  });
}

function conditionsOf(group: RouteGroup | undefined) {
  const { scope, ...others } = group?.conditions ?? {};
  if (group?.conditions === undefined) return undefined;
  return { ...others, scope: scope === undefined ? undefined : { ...scope, kind: specified(scope.kind) } };
}

function RouteForm({ route, onClose }: { readonly route: Route | undefined; readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const [name, setName] = useState(route?.name ?? '');
  const [text, setText] = useState(() => textOf(route));
  const create = useChange('Routes.Create');
  const update = useChange('Routes.Update');
  const submit = async () => {
    const saved =
      route === undefined
        ? await create.run({ organizationId, name, groups: groupsOf(text) })
        : await update.run({
            id: route.id,
            ifRevision: route.revision,
            name,
            groups: mergedGroups(text, route.groups),
          });
    if (saved !== undefined) onClose();
  };
  return (
    <FormDialog
      title={route === undefined ? 'Create a route' : `Change ${route.name}`}
      submit={route === undefined ? 'Create route' : 'Save'}
      isPending={create.isPending || update.isPending}
      error={create.error ?? update.error}
      isDisabled={name === '' || groupsOf(text).length === 0}
      onSubmit={() => void submit()}
      onClose={onClose}
      isWide
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus isMono />
      <TextInput
        label="Targets"
        rows={7}
        isMono
        value={text}
        onChange={setText}
        placeholder={'gpt-provider/gpt-4o 90\nassistant-provider/claude-sonnet-4-5 10'}
        description="A model and its weight to a line. After an empty line follow the targets for when those above fail."
      />
    </FormDialog>
  );
}
