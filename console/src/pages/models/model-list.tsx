// The models of the catalog and of custom providers, with what requests need to reach them and what they cost.
import { useState } from 'react';
import type { ListedModel, PriceOrigin } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList, useRead } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Picker, SearchInput } from '../../ui/fields.tsx';
import { compact, count, date, nothing } from '../../ui/format.ts';
import { Facts, Filters, Mono, Muted } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { failureText, HealthBadge, healthText, isOut } from '../shared/health.tsx';

const states = [
  { id: 'callable', name: 'callable now' },
  { id: '', name: 'all' },
  { id: 'unpriced', name: 'without a price' },
  { id: 'out', name: 'ejected or limited' },
] as const;

const columns: readonly TableColumn<ListedModel>[] = [
  {
    id: 'name',
    title: 'Model',
    render: ({ name }) => <Mono>{name}</Mono>,
    width: '2fr',
    minWidth: 260,
  },
  { id: 'state', title: 'State', render: (model) => <State model={model} />, width: 130 },
  { id: 'health', title: 'Health', render: ({ health }) => <HealthBadge health={health} />, width: 170 },
  {
    id: 'input',
    title: 'Input, $ a million',
    render: ({ prices }) => prices?.input ?? nothing,
    isNumber: true,
    width: 150,
  },
  {
    id: 'output',
    title: 'Output, $ a million',
    render: ({ prices }) => prices?.output ?? nothing,
    isNumber: true,
    width: 160,
  },
  { id: 'price', title: 'Price', render: priceText, width: 190 },
  {
    id: 'context',
    title: 'Context',
    render: ({ maxInputTokens }) => (maxInputTokens === undefined ? nothing : compact(maxInputTokens)),
    isNumber: true,
    width: 100,
  },
  { id: 'routes', title: 'Routes', render: ({ routes }) => routes.join(', ') || nothing, minWidth: 110 },
];

const origins: Readonly<Record<PriceOrigin, string>> = {
  PRICE_ORIGIN_UNSPECIFIED: 'none',
  PRICE_ORIGIN_CATALOG: 'catalog',
  PRICE_ORIGIN_ORGANIZATION: 'own',
  PRICE_ORIGIN_CUSTOM_PROVIDER: 'of its provider',
};

function priceText({ priceOrigin, prices }: ListedModel): string {
  return `${origins[priceOrigin]}${prices?.asOf === undefined ? '' : `, ${date(prices.asOf)}`}`;
}

function State({ model: { allowed, hasKey, stopped } }: { readonly model: ListedModel }) {
  if (stopped) return <Badge tone="bad">stopped</Badge>;
  if (!allowed) return <Badge tone="warn">not allowed</Badge>;
  return hasKey ? <Badge tone="good">callable</Badge> : <Badge>no key</Badge>;
}

export function ModelList() {
  const { organizationId } = useCaller();
  const [search, update] = useSearchState();
  const [opened, setOpened] = useState<ListedModel>();
  const state = states.find(({ id }) => id === search.state)?.id ?? (search.state === 'all' ? '' : 'callable');
  const request = {
    organizationId,
    ...(search.q ? { query: search.q } : {}),
    ...(state === 'callable' ? { callable: true } : {}),
    ...(state === 'unpriced' ? { unpriced: true } : {}),
    ...(state === 'out' ? { ejectedOrLimited: true } : {}),
  };
  const { data } = useRead('Models.List', { ...request, pageSize: 1 }, { keep: true });
  const list = useList('Models.List', { ...request, pageSize: 200 }, (page) => page.models);
  return (
    <>
      <Filters>
        <SearchInput
          label="Name or a part of it"
          value={search.q ?? ''}
          onChange={(q) => update({ q: q || undefined })}
        />
        <Picker
          label="Which"
          isCompact
          options={states}
          value={state}
          onChange={(id) => update({ state: id === '' ? 'all' : id })}
        />
      </Filters>
      <Muted>
        {data === undefined ? '\u00a0' : `${count(data.count)} models; the catalog is of ${date(data.catalogAsOf)}.`}
      </Muted>
      <ListTable
        label="Models"
        columns={columns}
        list={list}
        idOf={({ name }) => name}
        onOpen={setOpened}
        empty={
          <Empty title="No model fits">
            Add a provider key, or choose “all”: a model is callable if an allow-list, a provider key and no stop let
            it.
          </Empty>
        }
      />
      {opened === undefined ? null : <ModelDialog model={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function ModelDialog({ model, onClose }: { readonly model: ListedModel; readonly onClose: () => void }) {
  const { prices, health } = model;
  const amount = (value: string | undefined) => (value === undefined ? undefined : `$${value} a million tokens`);
  return (
    <Dialog title={model.name} onClose={onClose}>
      <Facts
        facts={[
          ['State', <State key="state" model={model} />],
          ['Health', health === undefined ? undefined : healthText(health)],
          ['Last failure', health === undefined || !isOut(health) ? undefined : failureText(health.lastFailure)],
          ['Price', priceText(model)],
          ['Source of the price', model.priceSource],
          ['Input', amount(prices?.input)],
          ['Output', amount(prices?.output)],
          ['Cache read', amount(prices?.cacheRead)],
          ['Cache write', amount(prices?.cacheWrite)],
          [
            'Higher above',
            prices?.tiers.map(({ abovePromptTokens }) => `${count(abovePromptTokens)} tokens`).join(', '),
          ],
          ['Another price from', model.nextPriceFrom === undefined ? undefined : date(model.nextPriceFrom)],
          ['Input tokens at most', model.maxInputTokens === undefined ? undefined : count(model.maxInputTokens)],
          ['Output tokens at most', model.maxOutputTokens === undefined ? undefined : count(model.maxOutputTokens)],
          ['Can', model.capabilities.join(', ')],
          ['Routes', model.routes.join(', ')],
          ['Other names', model.synonyms.join(', ')],
        ]}
      />
    </Dialog>
  );
}
