// What needs attention: each item with the page that shows it.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCaller, useMay } from '../../api/caller.tsx';
import { useAll } from '../../api/queries.ts';
import classes from '../../styles/page.module.css';
import { dateTime, money, percent, word } from '../../ui/format.ts';
import { Panel } from '../../ui/layout.tsx';
import { Badge, type Tone } from '../../ui/notes.tsx';
import { useBudgets, usedPart, willExceed } from '../shared/budget-table.tsx';
import { stopTarget } from '../shared/stop-text.ts';

interface Item {
  readonly id: string;
  readonly tone: Tone;
  readonly kind: string;
  readonly text: string;
  readonly to: string;
  readonly tab?: string;
}

export function Attention() {
  const items = [
    ...useBudgetItems(),
    ...useProviderKeyItems(),
    ...useStopItems(),
    ...useEndingKeys(),
    ...useUnconfirmed(),
  ];
  return (
    <Panel title="Needs attention">
      {items.length === 0 ? <p>Nothing needs attention.</p> : null}
      <ul className={classes.stack}>
        {items.map(({ id, tone, kind, text, to, tab }) => (
          <li key={id} className={classes.row}>
            <Badge tone={tone}>{kind}</Badge>
            <Link to={to} search={tab === undefined ? {} : { tab }}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function useBudgetItems(): readonly Item[] {
  const { rows } = useBudgets();
  return rows
    .filter((window) => usedPart(window) >= 0.8 || willExceed(window))
    .map((window) => ({
      id: `budget ${window.limitId} ${window.counter ?? ''}`,
      tone: usedPart(window) >= 1 ? 'bad' : 'warn',
      kind: usedPart(window) >= 1 ? 'Budget spent' : 'Budget',
      text: `${window.limitName}: ${percent(usedPart(window))} used${
        willExceed(window) ? `, forecast ${money(window.forecastUsd)}` : ''
      }`,
      to: '/spend',
      tab: 'budgets',
    }));
}

function useProviderKeyItems(): readonly Item[] {
  const { organizationId } = useCaller();
  const may = useMay();
  const keys = useAll('ProviderKeys.List', { organizationId }, (page) => page.providerKeys, {
    enabled: may('ProviderKeys.List'),
  });
  return keys
    .filter(
      ({ state, enabled }) =>
        enabled && (state === 'PROVIDER_KEY_STATE_REFUSED' || state === 'PROVIDER_KEY_STATE_LIMITED'),
    )
    .map(({ id, provider, name, state, stateDetail }) => ({
      id,
      tone: 'bad',
      kind: 'Provider key',
      text: `${provider}: ${name} is ${word(state, 'PROVIDER_KEY_STATE_')}${stateDetail === '' ? '' : `, ${stateDetail}`}`,
      to: '/models',
      tab: 'keys',
    }));
}

function useStopItems(): readonly Item[] {
  const { organizationId } = useCaller();
  const may = useMay();
  const stops = useAll('Stops.List', { organizationId }, (page) => page.stops, { enabled: may('Stops.List') });
  return stops
    .filter(({ ended }) => !ended)
    .map((stop) => ({
      id: stop.id,
      tone: 'bad',
      kind: 'Stop',
      text: `${stopTarget(stop)} is stopped: ${stop.reason}`,
      to: '/settings/stops',
    }));
}

function useEndingKeys(): readonly Item[] {
  const { organizationId } = useCaller();
  const [range] = useState(() => ({
    endsAfter: new Date().toISOString(),
    endsBefore: new Date(Date.now() + 7 * 86_400_000).toISOString(),
  }));
  const keys = useAll(
    'VirtualKeys.List',
    { organizationId, ...range, statuses: ['active'] },
    (page) => page.virtualKeys,
  );
  return keys.map(({ id, name, endsAt }) => ({
    id,
    tone: 'warn',
    kind: 'Key ends',
    text: `${name} ends ${dateTime(endsAt)}`,
    to: `/settings/access/${id}`,
  }));
}

function useUnconfirmed(): readonly Item[] {
  const { organizationId } = useCaller();
  const may = useMay();
  const rows = useAll('Budgets.ListUnsettled', { organizationId }, (page) => page.unsettled, {
    enabled: may('Budgets.ListUnsettled'),
  });
  return rows.map(({ limitId, limitName, session, amountUsd, window }) => ({
    id: `${limitId} ${session} ${window}`,
    tone: 'warn',
    kind: 'Unconfirmed',
    text: `${money(amountUsd)} of ${limitName} wait for a proxy that is silent`,
    to: '/spend',
    tab: 'unconfirmed',
  }));
}
