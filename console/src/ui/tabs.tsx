// Tabs whose choice is a search parameter of the address.
import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';
import classes from '../styles/page.module.css';
import { useSearchState } from './search-state.ts';

export interface TabContent {
  readonly id: string;
  readonly name: string;
  readonly content: () => ReactNode;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly TabContent[] }) {
  const [search, update] = useSearchState();
  const selected = tabs.find(({ id }) => id === search.tab) ?? tabs[0];
  return (
    <AriaTabs
      className={classes.tabs ?? ''}
      selectedKey={selected?.id ?? ''}
      onSelectionChange={(key) => update({ tab: key === tabs[0]?.id ? undefined : String(key) })}
    >
      <TabList aria-label={label} className={classes.tabList ?? ''}>
        {tabs.map(({ id, name }) => (
          <Tab key={id} id={id} className={classes.tab ?? ''}>
            {name}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={classes.tabPanel ?? ''}>
          {id === selected?.id ? content() : null}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
