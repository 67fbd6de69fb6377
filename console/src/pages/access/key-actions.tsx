// Rotate, switch off and on, change, and revoke with what will break.
import { useState } from 'react';
import type { VirtualKey } from '../../../generated/contract.ts';
import { useCaller, useMay } from '../../api/caller.tsx';
import { useChange, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker } from '../../ui/fields.tsx';
import { ago, count } from '../../ui/format.ts';
import { Note } from '../../ui/notes.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { NewKey } from './create-key.tsx';
import { fieldsOf, KeyForm, requestOf } from './key-form.tsx';
import { isFinal } from './key-state.tsx';

type Doing = 'rotate' | 'edit' | 'expire' | 'revoke' | 'off';

export function KeyActions({ virtualKey }: { readonly virtualKey: VirtualKey }) {
  const may = useMay();
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  if (isFinal(virtualKey)) return null;
  const changes = may('VirtualKeys.Update');
  return (
    <>
      {changes ? <Button onPress={() => setDoing('edit')}>Change</Button> : null}
      {changes ? <SwitchButton virtualKey={virtualKey} onOff={() => setDoing('off')} /> : null}
      {changes ? <Button onPress={() => setDoing('expire')}>Expire now</Button> : null}
      <Button onPress={() => setDoing('rotate')}>Rotate</Button>
      <Button look="danger" onPress={() => setDoing('revoke')}>
        Revoke
      </Button>
      {doing === 'edit' ? <EditKey virtualKey={virtualKey} onClose={close} /> : null}
      {doing === 'rotate' ? <RotateKey virtualKey={virtualKey} onClose={close} /> : null}
      {doing === 'off' ? <SwitchOff virtualKey={virtualKey} onClose={close} /> : null}
      {doing === 'expire' ? <ExpireKey virtualKey={virtualKey} onClose={close} /> : null}
      {doing === 'revoke' ? <RevokeKey virtualKey={virtualKey} onClose={close} /> : null}
    </>
  );
}

interface KeyDialogProps {
  readonly virtualKey: VirtualKey;
  readonly onClose: () => void;
}

function SwitchButton({ virtualKey, onOff }: { readonly virtualKey: VirtualKey; readonly onOff: () => void }) {
  const update = useChange('VirtualKeys.Update');
  if (virtualKey.active) return <Button onPress={onOff}>Switch off</Button>;
  const on = () => void update.run({ id: virtualKey.id, active: true });
  return (
    <Button onPress={on} isPending={update.isPending}>
      Switch on
    </Button>
  );
}

function SwitchOff({ virtualKey, onClose }: KeyDialogProps) {
  return (
    <Confirm
      title={`Switch off ${virtualKey.name}?`}
      submit="Switch off"
      method="VirtualKeys.Update"
      request={{ id: virtualKey.id, active: false }}
      onClose={onClose}
    >
      <WhatBreaks virtualKey={virtualKey} />
      <p>Its requests are refused with 403 until you switch it on again.</p>
    </Confirm>
  );
}

function ExpireKey({ virtualKey, onClose }: KeyDialogProps) {
  const [endsAt] = useState(() => new Date().toISOString());
  return (
    <Confirm
      title={`Expire ${virtualKey.name} now?`}
      submit="Expire now"
      method="VirtualKeys.Update"
      request={{ id: virtualKey.id, endsAt }}
      onClose={onClose}
    >
      <WhatBreaks virtualKey={virtualKey} />
      <p>Its requests are refused from now on. A later end makes it work again.</p>
    </Confirm>
  );
}

function RevokeKey({ virtualKey, onClose }: KeyDialogProps) {
  return (
    <Confirm
      title={`Revoke ${virtualKey.name}?`}
      submit="Revoke key"
      method="VirtualKeys.Revoke"
      request={{ id: virtualKey.id }}
      onClose={onClose}
    >
      <WhatBreaks virtualKey={virtualKey} />
      <p>
        Every value of the key stops working at every proxy within a second, its limits are deleted, and nobody can undo
        it. Rotate it instead if only its value is to change.
      </p>
    </Confirm>
  );
}

/** How much the key was used in the last day. */
function WhatBreaks({ virtualKey }: { readonly virtualKey: VirtualKey }) {
  const { organizationId } = useCaller();
  const [from] = useState(() => new Date(Date.now() - 86_400_000).toISOString());
  const { data } = useRead('Usage.Totals', { organizationId, keyId: virtualKey.id, from });
  const requests = data?.totals[0]?.requests ?? '0';
  if (data === undefined) return <Note>Counting its requests …</Note>;
  if (Number(requests) === 0) {
    return <Note>No request used it in the last 24 hours; it was last used {ago(virtualKey.lastUsedAt)}.</Note>;
  }
  return (
    <Note tone="warn">
      <strong>{count(requests)} requests used it in the last 24 hours.</strong> What sends them will get errors.
    </Note>
  );
}

function EditKey({ virtualKey, onClose }: KeyDialogProps) {
  const [fields, setFields] = useState(() => fieldsOf(virtualKey));
  const update = useChange('VirtualKeys.Update');
  const save = async () => {
    const request = requestOf(fields);
    const change = { endsAt: '', ...request, id: virtualKey.id, ifRevision: virtualKey.revision };
    if ((await update.run(change)) !== undefined) onClose();
  };
  return (
    <FormDialog
      title="Change the key"
      submit="Save"
      isPending={update.isPending}
      error={update.error}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <KeyForm fields={fields} onChange={setFields} />
    </FormDialog>
  );
}

const graces = [
  { id: '0', name: 'Stops at once' },
  { id: '3600', name: 'Works for an hour more' },
  { id: '86400', name: 'Works for a day more' },
  { id: '604800', name: 'Works for a week more' },
  { id: '2592000', name: 'Works for 30 days more' },
];

function RotateKey({ virtualKey, onClose }: KeyDialogProps) {
  const [grace, setGrace] = useState('86400');
  const [value, setValue] = useState<string>();
  const rotate = useChange('VirtualKeys.Rotate');
  const run = async () => {
    const rotated = await rotate.run({ id: virtualKey.id, graceSeconds: Number(grace) });
    if (rotated !== undefined) setValue(rotated.value);
  };
  if (value !== undefined) return <NewKey value={value} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate ${virtualKey.name}`}
      submit="Make a new value"
      isPending={rotate.isPending}
      error={rotate.error}
      onSubmit={() => void run()}
      onClose={onClose}
    >
      <p>The key gets a new value. Its name, limits and usage stay.</p>
      <Picker label="The present value" options={graces} value={grace} onChange={setGrace} />
    </FormDialog>
  );
}
