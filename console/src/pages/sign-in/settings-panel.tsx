// The address of the sign-in page, how long sessions last, and the platform's issuers.
import { useState } from 'react';
import type { SignInSettings } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Check, TextInput } from '../../ui/fields.tsx';
import { Panel, Row, Stack } from '../../ui/layout.tsx';
import { ErrorNote, Loading } from '../../ui/notes.tsx';

export function SettingsPanel() {
  const { organizationId } = useCaller();
  const { data, error } = useRead('SignIn.GetSettings', { organizationId });
  if (error !== null) return <ErrorNote error={error} />;
  return data === undefined ? <Loading /> : <Settings settings={data} />;
}

function Settings({ settings }: { readonly settings: SignInSettings }) {
  const { organizationId, permissions } = useCaller();
  const [slug, setSlug] = useState(settings.slug);
  const [idle, setIdle] = useState(String(settings.idleMinutes ?? ''));
  const [session, setSession] = useState(String(settings.sessionMinutes ?? ''));
  const [chosen, setChosen] = useState(settings.platformIssuers.filter((one) => one.chosen).map(({ id }) => id));
  const update = useChange('SignIn.UpdateSettings');
  const save = () =>
    update.run({
      organizationId,
      slug: slug.trim(),
      idleMinutes: Number(idle),
      sessionMinutes: Number(session),
      platformIssuerIds: { ids: chosen },
    });
  return (
    <Panel title="Address and times">
      <Stack>
        <TextInput
          label="Name in the address"
          value={slug}
          onChange={setSlug}
          description="3 to 40 of a-z, 0-9 and -"
        />
        <CodeBlock text={new URL(`o/${settings.slug}`, document.baseURI).href} label="address of the sign-in page" />
        <TextInput
          label="Minutes until an unused session ends"
          type="number"
          value={idle}
          onChange={setIdle}
          description="Empty: as the platform has it, and never longer."
        />
        <TextInput label="Minutes until any session ends" type="number" value={session} onChange={setSession} />
        {settings.platformIssuers.map(({ id, name }) => (
          <Check
            key={id}
            isSelected={chosen.includes(id)}
            onChange={(isOn) => setChosen(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
          >
            {name}, an issuer of the platform, signs in our people
          </Check>
        ))}
        <ErrorNote error={update.error} />
        {permissions.has('SignIn.UpdateSettings') ? (
          <Row>
            <Button look="primary" isPending={update.isPending} onPress={() => void save()}>
              Save
            </Button>
          </Row>
        ) : null}
      </Stack>
    </Panel>
  );
}
