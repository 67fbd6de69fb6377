// How people sign in: issuers, their tokens of SCIM, e-mail domains, invitations, and how long sessions last. Of an organization, or of the
// platform.
import { useCaller } from '../../api/caller.tsx';
import { Page } from '../../ui/layout.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Domains } from './domains.tsx';
import { Invitations } from './invitations.tsx';
import { Issuers } from './issuers.tsx';
import { Provisioning } from './provisioning.tsx';
import { SettingsPanel } from './settings-panel.tsx';

export function SignInPage() {
  const isPlatform = useCaller().organizationId === '';
  const ofOrganization = [
    { id: 'provisioning', name: 'Provisioning', content: () => <Provisioning /> },
    { id: 'domains', name: 'E-mail domains', content: () => <Domains /> },
    { id: 'settings', name: 'Address and times', content: () => <SettingsPanel /> },
  ];
  return (
    <Page
      title="Sign-in"
      description="Where people sign in to this page, and who may. Your own sessions are in My tokens."
    >
      <Tabs
        label="Sign-in"
        tabs={[
          { id: 'issuers', name: 'Issuers', content: () => <Issuers /> },
          { id: 'invitations', name: 'Invitations', content: () => <Invitations /> },
          ...(isPlatform ? [] : ofOrganization),
        ]}
      />
    </Page>
  );
}
