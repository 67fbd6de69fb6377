// Captures, for owners: whose texts are kept until when, and who may open them besides owners.
import { useState } from 'react';
import type { CaptureSetting } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Check } from '../../ui/fields.tsx';
import { count, dateTime } from '../../ui/format.ts';
import { Page, Panel } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { EnableCapture } from './enable-capture.tsx';
import { Readers } from './readers.tsx';

const kinds: Readonly<Record<string, string>> = {
  CAPTURE_TARGET_KIND_ORGANIZATION: 'the organization',
  CAPTURE_TARGET_KIND_AI_SYSTEM: 'AI system',
  CAPTURE_TARGET_KIND_VIRTUAL_KEY: 'key',
};

function targetText({ target, targetName }: CaptureSetting): string {
  return `${kinds[target?.kind ?? ''] ?? ''} ${targetName}`.trim();
}

function columnsFor(onEnd: (setting: CaptureSetting) => void): readonly TableColumn<CaptureSetting>[] {
  return [
    { id: 'target', title: 'Of', render: targetText, minWidth: 180, isRowHeader: true },
    {
      id: 'state',
      title: 'State',
      render: ({ active }) => <Badge tone={active ? 'warn' : 'neutral'}>{active ? 'on' : 'ended'}</Badge>,
      width: 100,
    },
    { id: 'ends', title: 'Ends', render: ({ endsAt }) => dateTime(endsAt), minWidth: 160 },
    { id: 'sample', title: 'Sample', render: ({ samplePerThousand }) => `${samplePerThousand / 10} %`, width: 100 },
    { id: 'kept', title: 'Days', render: ({ retentionDays }) => count(retentionDays), width: 80 },
    { id: 'sides', title: 'Texts', render: ({ sides }) => count(sides), width: 100 },
    { id: 'by', title: 'By', render: ({ createdByName }) => createdByName, minWidth: 120 },
    {
      id: 'do',
      title: 'Action',
      width: 120,
      render: (setting) => <Button onPress={() => onEnd(setting)}>{setting.active ? 'Turn off' : 'Purge'}</Button>,
    },
  ];
}

export function CapturePage() {
  const { organizationId } = useCaller();
  const [isEnabling, setEnabling] = useState(false);
  const [ending, setEnding] = useState<CaptureSetting>();
  const list = useList('Captures.ListSettings', { organizationId }, (page) => page.settings);
  return (
    <Page
      title="Capture"
      description="Texts of requests and responses, kept for a time as guardrails left them. Every caller gets the header x-svc-captured."
      actions={
        <Button look="primary" onPress={() => setEnabling(true)}>
          Turn capture on
        </Button>
      }
    >
      <ListTable
        label="Capture settings"
        columns={columnsFor(setEnding)}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title="Nothing is captured" />}
      />
      <Panel title="Readers">
        <Readers />
      </Panel>
      {isEnabling ? <EnableCapture onClose={() => setEnabling(false)} /> : null}
      {ending === undefined ? null : <EndCapture setting={ending} onClose={() => setEnding(undefined)} />}
    </Page>
  );
}

function EndCapture({ setting, onClose }: { readonly setting: CaptureSetting; readonly onClose: () => void }) {
  const { id, active } = setting;
  const [purge, setPurge] = useState(!active);
  const disable = useChange('Captures.Disable');
  const submit = async () => {
    if ((await disable.run({ id, purge })) !== undefined) onClose();
  };
  return (
    <FormDialog
      title={active ? `Turn capture of ${targetText(setting)} off?` : 'Delete what is kept?'}
      submit={active ? 'Turn off' : 'Purge'}
      look="danger"
      isPending={disable.isPending}
      error={disable.error}
      isDisabled={!active && !purge}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Check isSelected={purge} onChange={setPurge}>
        Delete at once what it has kept
      </Check>
    </FormDialog>
  );
}
