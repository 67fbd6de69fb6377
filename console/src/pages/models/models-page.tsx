// Models and providers: what keys may call, and for owners and admins the providers, keys, routes and prices behind it.
import { useMay } from '../../api/caller.tsx';
import { Page } from '../../ui/layout.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Callable } from './callable.tsx';
import { ModelList } from './model-list.tsx';
import { Prices } from './prices.tsx';
import { ProviderKeys } from './provider-keys.tsx';
import { Providers } from './providers.tsx';
import { Routes } from './routes.tsx';

export function ModelsPage() {
  const may = useMay();
  const all = [
    { id: 'list', name: 'Models', content: () => <ModelList />, needs: 'Models.List' },
    { id: 'models', name: 'What keys may call', content: () => <Callable />, needs: 'VirtualKeys.Explain' },
    { id: 'keys', name: 'Provider keys', content: () => <ProviderKeys />, needs: 'ProviderKeys.List' },
    { id: 'routes', name: 'Routes', content: () => <Routes />, needs: 'Routes.List' },
    { id: 'providers', name: 'Custom providers', content: () => <Providers />, needs: 'Providers.List' },
    { id: 'prices', name: 'Own prices', content: () => <Prices />, needs: 'Prices.List' },
  ] as const;
  return (
    <Page title="Models and providers" description="Which models programs can call, and where they are called.">
      <Tabs label="Models and providers" tabs={all.filter(({ needs }) => may(needs))} />
    </Page>
  );
}
