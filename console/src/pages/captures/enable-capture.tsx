// The form that turns capture on.
import { useState } from 'react';
import { useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { instantOf } from '../../ui/format.ts';
import { Note } from '../../ui/notes.tsx';
import { useAiSystems, useKeys } from '../shared/names.ts';

const kinds = [
  { id: 'CAPTURE_TARGET_KIND_VIRTUAL_KEY', name: 'A key' },
  { id: 'CAPTURE_TARGET_KIND_AI_SYSTEM', name: 'An AI system' },
  { id: 'CAPTURE_TARGET_KIND_ORGANIZATION', name: 'The whole organization' },
] as const;

type Kind = (typeof kinds)[number]['id'];

export function EnableCapture({ onClose }: { readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const [kind, setKind] = useState<Kind>('CAPTURE_TARGET_KIND_VIRTUAL_KEY');
  const [target, setTarget] = useState('');
  const [endsAt, setEndsAt] = useState('');
  const [sample, setSample] = useState('100');
  const [days, setDays] = useState('7');
  const enable = useChange('Captures.Enable');
  const isWhole = kind === 'CAPTURE_TARGET_KIND_ORGANIZATION';
  const submit = async () => {
    const enabled = await enable.run({
      organizationId,
      target: { kind, id: isWhole ? organizationId : target },
      endsAt: instantOf(endsAt) ?? '',
      samplePerThousand: Math.round(Number(sample) * 10),
      retentionDays: Number(days),
    });
    if (enabled !== undefined) onClose();
  };
  return (
    <FormDialog
      title="Turn capture on"
      submit="Turn on"
      isPending={enable.isPending}
      error={enable.error}
      isDisabled={endsAt === '' || (!isWhole && target === '')}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Picker
        label="Of"
        options={kinds}
        value={kind}
        onChange={(id) => {
          setKind(kinds.find((one) => one.id === id)?.id ?? kind);
          setTarget('');
        }}
      />
      {isWhole ? null : <TargetPicker kind={kind} value={target} onChange={setTarget} />}
      <TextInput
        label="Ends at"
        type="datetime-local"
        value={endsAt}
        onChange={setEndsAt}
        isRequired
        description="At most 30 days from now."
      />
      <TextInput label="Sample in percent" type="number" value={sample} onChange={setSample} isRequired />
      <TextInput
        label="Days to keep"
        type="number"
        value={days}
        onChange={setDays}
        isRequired
        description="1 to 30. Texts are deleted then."
      />
      <Note tone="warn">Owners, and the readers whom they name, can read what callers send and get.</Note>
    </FormDialog>
  );
}

interface TargetPickerProps {
  readonly kind: Kind;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function TargetPicker({ kind, value, onChange }: TargetPickerProps) {
  const keys = useKeys();
  const systems = useAiSystems();
  const isKey = kind === 'CAPTURE_TARGET_KIND_VIRTUAL_KEY';
  return (
    <Picker
      label={isKey ? 'Key' : 'AI system'}
      options={(isKey ? keys : systems).map(({ id, name }) => ({ id, name }))}
      value={value}
      onChange={onChange}
    />
  );
}
