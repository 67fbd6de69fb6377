// A device shows a code, and the person types it here: who asks from where, and what it gets.
import { type FormEvent, useState } from 'react';
import type { Device } from '../../../generated/contract.ts';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { ago } from '../../ui/format.ts';
import { Facts, Page, Panel, Row, Stack } from '../../ui/layout.tsx';
import { ErrorNote, Note } from '../../ui/notes.tsx';
import { Consent } from './program-page.tsx';

export function DevicePage() {
  const [code, setCode] = useState('');
  const [device, setDevice] = useState<Device>();
  const [decision, setDecision] = useState<'allowed' | 'refused'>();
  const change = useChange('Sessions.ApproveDevice');
  const look = async (event: FormEvent) => {
    event.preventDefault();
    setDevice(await change.run({ userCode: code }));
  };
  const decide = async (approve: boolean) => {
    const decided = await change.run({ userCode: code, approve });
    if (decided === undefined) return;
    setDevice(decided.found ? undefined : decided);
    if (decided.found) setDecision(approve ? 'allowed' : 'refused');
  };
  if (decision !== undefined) {
    return (
      <Page title="Connect a device">
        <Note tone={decision === 'allowed' ? 'good' : 'neutral'}>The program is {decision}. Return to it.</Note>
      </Page>
    );
  }
  return (
    <Page title="Connect a device">
      <Panel>
        <form onSubmit={(event) => void look(event)}>
          <Stack>
            <TextInput
              label="Code that the program shows"
              value={code}
              onChange={(text) => {
                setCode(text);
                setDevice(undefined);
              }}
              isMono
              isRequired
              autoFocus
              placeholder="XXXX-XXXX"
            />
            {device?.found === false ? <Note tone="warn">No program waits with this code.</Note> : null}
            <ErrorNote error={change.error} />
            {device?.found ? null : (
              <Row>
                <Button type="submit" look="primary" isPending={change.isPending} isDisabled={code.trim() === ''}>
                  Continue
                </Button>
              </Row>
            )}
          </Stack>
        </form>
      </Panel>
      {device?.found ? (
        <Panel title={`${device.name} wants access`}>
          <Facts
            facts={[
              ['Address', device.address],
              ['Started', ago(device.createdAt)],
            ]}
          />
          <Consent />
          <Row>
            <Button look="primary" isPending={change.isPending} onPress={() => void decide(true)}>
              Allow
            </Button>
            <Button onPress={() => void decide(false)}>Refuse</Button>
          </Row>
        </Panel>
      ) : null}
    </Page>
  );
}
