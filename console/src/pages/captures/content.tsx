// The captured content of one request, for those who may open it: shown after a reason was typed, and kept nowhere.
import { useState } from 'react';
import type { Capture, CapturedContent } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { dateTime } from '../../ui/format.ts';
import { Panel, Stack } from '../../ui/layout.tsx';
import { ErrorNote, Note } from '../../ui/notes.tsx';

const reasonLengthMin = 10;

export function Content({ id }: { readonly id: string }) {
  const { organizationId } = useCaller();
  const [reason, setReason] = useState('');
  const [content, setContent] = useState<Capture>();
  const open = useChange('Captures.Get');
  const submit = async () => setContent(await open.run({ organizationId, id, reason }));
  return (
    <Panel title="Content">
      {content === undefined ? (
        <Stack>
          <TextInput
            label="Reason"
            value={reason}
            onChange={setReason}
            isRequired
            maxLength={500}
            description="Why you open the content, in 10 characters or more. The audit log gets it."
          />
          <ErrorNote error={open.error} />
          <Button
            isPending={open.isPending}
            isDisabled={reason.trim().length < reasonLengthMin}
            onPress={() => void submit()}
          >
            Open the content
          </Button>
        </Stack>
      ) : (
        <Stack>
          <Note>Kept until {dateTime(content.expiresAt)}.</Note>
          <Side name="request" content={content.request} />
          <Side name="response" content={content.response} />
        </Stack>
      )}
    </Panel>
  );
}

function Side({ name, content }: { readonly name: string; readonly content: CapturedContent | undefined }) {
  if (content === undefined) return <Note>Nothing of the {name} is kept.</Note>;
  return (
    <>
      <CodeBlock text={readable(content)} label={`content of the ${name}`} />
      {content.cut ? <Note tone="warn">The {name} is longer: its rest is not kept.</Note> : null}
      {content.unfinished ? <Note tone="warn">The {name} ended before it was complete.</Note> : null}
    </>
  );
}

/** A cut text is no JSON. */
function readable({ text, cut }: CapturedContent): string {
  if (cut) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
