import { Page } from '../../ui/layout.tsx';
import { Providers } from '../models/providers.tsx';

export function PlatformProvidersPage() {
  return (
    <Page title="Providers" description="Custom providers of the platform, which every organization may call.">
      <Providers />
    </Page>
  );
}
