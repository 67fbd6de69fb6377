// Settings of the organization. A switch acts at once; texts have a button of their own.
import { useState } from 'react';
import type { Organization, OrganizationSettingsInput } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { dateTime, listOf } from '../../ui/format.ts';
import { Facts, Mono, Muted, Page, Pair, Panel, Row, Stack } from '../../ui/layout.tsx';
import { ErrorNote, Loading } from '../../ui/notes.tsx';
import { ChangeToggle } from '../shared/change-toggle.tsx';
import { ModelsField } from '../shared/models-field.tsx';

export function OrganizationPage() {
  const { organizationId } = useCaller();
  const { data, error } = useRead('Organizations.Get', { id: organizationId });
  return (
    <Page title="Organization" description="What applies to every key of the organization.">
      <ErrorNote error={error} />
      {data === undefined ? <Loading /> : <Settings organization={data} />}
    </Page>
  );
}

interface OfOrganization {
  readonly organization: Organization;
}

function Settings({ organization }: OfOrganization) {
  return (
    <Pair>
      <NamePanel organization={organization} />
      <ModelsPanel organization={organization} />
      <VendorPanel organization={organization} />
      <TagsPanel organization={organization} />
    </Pair>
  );
}

function NamePanel({ organization }: OfOrganization) {
  const [name, setName] = useState(organization.name);
  const update = useChange('Organizations.UpdateSettings');
  return (
    <Panel title="Name">
      <TextInput label="Name" value={name} onChange={setName} maxLength={100} />
      <ErrorNote error={update.error} />
      <Row>
        <Button
          isPending={update.isPending}
          isDisabled={name.trim() === '' || name === organization.name}
          onPress={() => void update.run({ id: organization.id, ifRevision: organization.revision, name })}
        >
          Save
        </Button>
      </Row>
      <Facts
        facts={[
          ['Created', dateTime(organization.createdAt)],
          ['Weight among organizations', organization.weight],
          ['Id', <Mono key="id">{organization.id}</Mono>],
        ]}
      />
    </Panel>
  );
}

function ModelsPanel({ organization }: OfOrganization) {
  const [models, setModels] = useState(organization.allowedModels.join('\n'));
  const update = useChange('Organizations.UpdateSettings');
  const save = () =>
    void update.run({
      id: organization.id,
      ifRevision: organization.revision,
      allowedModels: { globs: listOf(models) },
    });
  return (
    <Panel title="Models">
      <ModelsField value={models} onChange={setModels} />
      <ErrorNote error={update.error} />
      <Row>
        <Button
          isPending={update.isPending}
          isDisabled={models === organization.allowedModels.join('\n')}
          onPress={save}
        >
          Save
        </Button>
      </Row>
      <Aliases organization={organization} />
    </Panel>
  );
}

function Aliases({ organization }: OfOrganization) {
  const stored = (organization.settings?.models?.aliases?.aliases ?? [])
    .map(({ name, model }) => `${name} = ${model}`)
    .join('\n');
  const [text, setText] = useState(stored);
  const update = useChange('Organizations.UpdateSettings');
  const save = () => {
    const aliases = listOf(text).map((line) => {
      const [name = '', model = ''] = line.split('=').map((part) => part.trim());
      return { name, model };
    });
    void update.run({ id: organization.id, settings: { models: { aliases: { aliases } } } });
  };
  return (
    <>
      <TextInput
        label="Own names of models"
        rows={3}
        isMono
        value={text}
        onChange={setText}
        placeholder="fast = gpt-provider/gpt-4o-mini"
        description="One to a line: the name that callers send, and the model."
      />
      <ErrorNote error={update.error} />
      <Row>
        <Button isPending={update.isPending} isDisabled={text === stored} onPress={save}>
          Save names
        </Button>
      </Row>
    </>
  );
}

interface SwitchRow {
  readonly title: string;
  readonly description: string;
  readonly isOn: boolean;
  readonly change: (isOn: boolean) => OrganizationSettingsInput;
}

function switchesOf({ settings }: Organization): readonly SwitchRow[] {
  const { ownTools, responses, pricedOptions, cost } = settings ?? {};
  return [
    {
      title: 'Vendors’ tools that reach other hosts',
      description: 'Web search, fetching of pages, MCP servers.',
      isOn: ownTools?.egress ?? false,
      change: (egress) => ({ ownTools: { egress } }),
    },
    {
      title: 'Vendors’ tools that run code',
      description: 'Code execution, containers, shells at the vendor.',
      isOn: ownTools?.execution ?? false,
      change: (execution) => ({ ownTools: { execution } }),
    },
    {
      title: 'Vendors may store responses',
      description: 'For the Responses API.',
      isOn: responses?.stored ?? false,
      change: (stored) => ({ responses: { stored } }),
    },
    {
      title: 'Responses in the background',
      description: 'A proxy reads them until they are over.',
      isOn: responses?.background ?? false,
      change: (background) => ({ responses: { background } }),
    },
    {
      title: 'Options that cost more than usual',
      description: 'Faster processing, one region, longer prompts.',
      isOn: pricedOptions?.allowed ?? true,
      change: (allowed) => ({ pricedOptions: { allowed } }),
    },
    {
      title: 'Read streams on after the caller has left',
      description: 'The charge is then exact, for text that nobody reads.',
      isOn: cost?.hangUp === 'HANG_UP_READ',
      change: (isOn) => ({ cost: { hangUp: isOn ? 'read' : 'cancel' } }),
    },
  ];
}

function VendorPanel({ organization }: OfOrganization) {
  return (
    <Panel title="What requests may use">
      <Stack>
        {switchesOf(organization).map(({ title, description, isOn, change }) => (
          <div key={title}>
            <ChangeToggle
              method="Organizations.UpdateSettings"
              isSelected={isOn}
              requestFor={(next) => ({ id: organization.id, settings: change(next) })}
            >
              {title}
            </ChangeToggle>
            <p>
              <Muted>{description}</Muted>
            </p>
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

function TagsPanel({ organization }: OfOrganization) {
  const stored = (organization.settings?.tags?.names?.names ?? []).join(', ');
  const days = String(organization.settings?.requests?.retentionDays ?? 30);
  const [tags, setTags] = useState(stored);
  const [retention, setRetention] = useState(days);
  const update = useChange('Organizations.UpdateSettings');
  const save = () =>
    void update.run({
      id: organization.id,
      settings: { tags: { names: { names: listOf(tags) } }, requests: { retentionDays: Number(retention) } },
    });
  return (
    <Panel title="Usage and requests">
      <TextInput
        label="Tags"
        value={tags}
        onChange={setTags}
        placeholder="feature, team, user"
        description="Up to eight names. Callers send them as headers x-svc-tag-<name>; usage is summed by them."
      />
      <TextInput
        label="Days for which rows of requests are kept"
        type="number"
        value={retention}
        onChange={setRetention}
        description="0: no request is recorded."
      />
      <ErrorNote error={update.error} />
      <Row>
        <Button isPending={update.isPending} isDisabled={tags === stored && retention === days} onPress={save}>
          Save
        </Button>
      </Row>
    </Panel>
  );
}
