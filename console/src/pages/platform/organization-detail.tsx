// One organization, as operators of the platform may see it: suspend, resume, weight, e-mail domains.
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../../../generated/contract.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { dateTime, instantOf } from '../../ui/format.ts';
import { Facts, Grid, Mono, Page, Panel, Row } from '../../ui/layout.tsx';
import { Badge, ErrorNote, Loading, Note } from '../../ui/notes.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { Vouching } from './vouching.tsx';

export function OrganizationDetailPage() {
  const { id = '' } = useParams({ strict: false });
  const { data, error } = useRead('Organizations.Get', { id });
  return (
    <Page
      title={data?.name ?? 'Organization'}
      description={<Link to="/platform/organizations">All organizations</Link>}
      actions={data === undefined ? undefined : <SuspendButton organization={data} />}
    >
      <ErrorNote error={error} />
      {data === undefined ? error === null ? <Loading /> : null : <Detail organization={data} />}
    </Page>
  );
}

interface OfOrganization {
  readonly organization: Organization;
}

function Detail({ organization }: OfOrganization) {
  const { id, suspended, suspendedReason, suspendedEndsAt, createdAt } = organization;
  return (
    <>
      <Grid>
        <Panel title="Organization">
          <Facts
            facts={[
              [
                'State',
                <Badge key="s" tone={suspended ? 'bad' : 'good'}>
                  {suspended ? 'suspended' : 'active'}
                </Badge>,
              ],
              ['Reason', suspendedReason],
              ['Until', suspendedEndsAt === undefined ? undefined : dateTime(suspendedEndsAt)],
              ['Created', dateTime(createdAt)],
              ['Id', <Mono key="id">{id}</Mono>],
            ]}
          />
        </Panel>
        <Weight key={organization.revision} organization={organization} />
      </Grid>
      <Vouching organizationId={id} />
    </>
  );
}

function Weight({ organization }: OfOrganization) {
  const [weight, setWeight] = useState(String(organization.weight));
  const change = useChange('Organizations.SetWeight');
  const save = () =>
    void change.run({ id: organization.id, ifRevision: organization.revision, weight: Number(weight) });
  return (
    <Panel title="Share of slots">
      <TextInput
        label="Weight"
        type="number"
        value={weight}
        onChange={setWeight}
        description="1 to 1000; 100 is usual."
      />
      <ErrorNote error={change.error} />
      <Row>
        <Button onPress={save} isPending={change.isPending} isDisabled={weight === String(organization.weight)}>
          Save
        </Button>
      </Row>
    </Panel>
  );
}

function SuspendButton({ organization }: OfOrganization) {
  // The one that was opened: its own change makes the other one possible before it is closed.
  const [opened, setOpened] = useState<'suspend' | 'resume'>();
  const close = () => setOpened(undefined);
  const { suspended, id, name } = organization;
  return (
    <>
      <Button look={suspended ? 'plain' : 'danger'} onPress={() => setOpened(suspended ? 'resume' : 'suspend')}>
        {suspended ? 'Resume' : 'Suspend'}
      </Button>
      {opened === 'suspend' ? <Suspend organization={organization} onClose={close} /> : null}
      {opened === 'resume' ? (
        <Confirm
          title={`Resume ${name}?`}
          submit="Resume"
          method="Organizations.Resume"
          request={{ id }}
          onClose={close}
        >
          <p>Its keys and people work again.</p>
        </Confirm>
      ) : null}
    </>
  );
}

function Suspend({ organization, onClose }: OfOrganization & { readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [endsAt, setEndsAt] = useState('');
  const suspend = useChange('Organizations.Suspend');
  const submit = async () => {
    const end = instantOf(endsAt);
    const request = {
      id: organization.id,
      ...(reason === '' ? {} : { reason }),
      ...(end === undefined ? {} : { endsAt: end }),
    };
    if ((await suspend.run(request)) !== undefined) onClose();
  };
  return (
    <FormDialog
      title={`Suspend ${organization.name}?`}
      submit="Suspend"
      look="danger"
      isPending={suspend.isPending}
      error={suspend.error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Note tone="warn">Every request with a key of this organization is refused with 403, within a second.</Note>
      <TextInput
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={200}
        description="For operators; callers do not get it."
      />
      <TextInput
        label="Ends at"
        type="datetime-local"
        value={endsAt}
        onChange={setEndsAt}
        description="Empty: until it is resumed."
      />
    </FormDialog>
  );
}
