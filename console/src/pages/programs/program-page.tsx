// A program on this machine asks to act for the person: who it is, and what it gets. Approved, the browser goes to the
// program's port of this machine, and nowhere else.
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Page, Panel, Row } from '../../ui/layout.tsx';
import { Empty, ErrorNote, Note } from '../../ui/notes.tsx';

export function ProgramPage() {
  const { port = '', challenge = '', state = '', name = '' } = useParams({ strict: false });
  const [isDone, setDone] = useState(false);
  const approve = useChange('Sessions.ApproveProgram');
  const isWhole = /^\d{1,5}$/.test(port) && /^[A-Za-z0-9_-]{43}$/.test(challenge) && /^[A-Za-z0-9_-]{43}$/.test(state);
  const program = /^[A-Za-z0-9-]{1,64}$/.test(name) ? name : 'A program';
  const goTo = (search: Record<string, string>) => {
    setDone(true);
    location.assign(`http://127.0.0.1:${port}/?${new URLSearchParams({ ...search, state })}`);
  };
  const submit = async () => {
    const approved = await approve.run({ name: program, codeChallenge: challenge });
    if (approved !== undefined) goTo({ code: approved.code });
  };
  return (
    <Page title="A program wants access">
      {!isWhole ? (
        <Empty title="The address is not complete">Run the program’s login again.</Empty>
      ) : isDone ? (
        <Note>Return to the program.</Note>
      ) : (
        <Panel title={`${program}, on this machine`}>
          <Consent />
          <ErrorNote error={approve.error} />
          <Row>
            <Button look="primary" isPending={approve.isPending} onPress={() => void submit()}>
              Allow
            </Button>
            <Button onPress={() => goTo({ error: 'access_denied' })}>Refuse</Button>
          </Row>
        </Panel>
      )}
    </Page>
  );
}

/** What is given away. */
export function Consent() {
  const { name, role } = useCaller();
  return (
    <p>
      It would act as you, {name}, with all that your role ({role.replace('-', ' ')}) may do, for at most 12 hours and
      until you sign out here. Allow it only if you have started it yourself just now.
    </p>
  );
}
