// Creates a budget, a rate or a limit of concurrency.
import { useState } from 'react';
import type { BudgetPeriodInput, LimitKindInput } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useRead } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Check, Picker, TextInput } from '../../ui/fields.tsx';
import { holderOf, useHolders } from '../shared/names.ts';
import { type CalendarFields, CalendarForm, calendarOf, newCalendar, thresholdsOf } from './limit-calendar.tsx';

const kinds = [
  { id: 'budget', name: 'Budget' },
  { id: 'requests-per-minute', name: 'Requests a minute' },
  { id: 'tokens-per-minute', name: 'Tokens a minute' },
  { id: 'concurrent-requests', name: 'Requests at once' },
] as const satisfies readonly { readonly id: LimitKindInput; readonly name: string }[];

const periods = [
  { id: 'hour', name: 'Hour' },
  { id: 'day', name: 'Day' },
  { id: 'week', name: 'Week' },
  { id: 'month', name: 'Month' },
  { id: 'quarter', name: 'Quarter' },
  { id: 'total', name: 'In all' },
] as const satisfies readonly { readonly id: BudgetPeriodInput; readonly name: string }[];

interface Fields {
  readonly holder: string;
  readonly kind: string;
  readonly amount: string;
  readonly period: string;
  readonly model: string;
  readonly soft: boolean;
  readonly each: string;
  /** `name=value`; empty: all requests. */
  readonly tag: string;
  readonly traffic: string;
  readonly calendar: CalendarFields;
}

function requestOf({ holder, kind, amount, period, model, soft, each, tag, traffic, calendar }: Fields) {
  const chosen = kinds.find(({ id }) => id === kind)?.id ?? 'budget';
  const amounts =
    chosen === 'budget'
      ? {
          amountUsd: amount,
          period: periods.find(({ id }) => id === period)?.id ?? ('month' as const),
          soft,
          ...calendarOf(period, calendar),
          ...thresholdsOf(calendar),
        }
      : { count: amount };
  return {
    subject: holderOf(holder),
    kind: chosen,
    ...amounts,
    ...(model === '' ? {} : { model }),
    ...(each === '' ? {} : { each }),
    ...(tag === '' ? {} : { tag: tagOf(tag) }),
    ...trafficOf(traffic),
  };
}

const trafficOptions = [
  { id: '', name: 'All requests' },
  { id: 'stored', name: 'Those with stored provider keys' },
  { id: 'direct', name: 'Those with callers’ own provider keys' },
];

function trafficOf(chosen: string) {
  const traffic = (['stored', 'direct'] as const).find((one) => one === chosen);
  return traffic === undefined ? {} : { traffic };
}

function tagOf(text: string) {
  const [name = '', ...value] = text.split('=');
  return { name: name.trim(), value: value.join('=').trim() };
}

/** The names of the organization's tags count each value alone. */
function useEachOptions() {
  const { organizationId } = useCaller();
  const { data } = useRead('Organizations.Get', { id: organizationId });
  const tags = data?.settings?.tags?.names?.names ?? [];
  return [
    { id: '', name: 'All requests together' },
    { id: 'key', name: 'Each virtual key alone' },
    { id: 'person', name: 'Each person alone' },
    { id: 'system', name: 'Each AI system alone' },
    ...tags.map((name) => ({ id: `tag:${name}`, name: `Each value of the tag ${name} alone` })),
  ];
}

export function CreateLimit({ onClose }: { readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const holders = useHolders(['ai-system', 'person', 'virtual-key', 'provider-key']);
  const [fields, setFields] = useState<Fields>({
    holder: `organization ${organizationId}`,
    kind: 'budget',
    amount: '',
    period: 'month',
    model: '',
    soft: false,
    each: '',
    tag: '',
    traffic: '',
    calendar: newCalendar,
  });
  const eachOptions = useEachOptions();
  const create = useChange('Limits.Create');
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const submit = async () => {
    if ((await create.run({ organizationId, ...requestOf(fields) })) !== undefined) onClose();
  };
  const isBudget = fields.kind === 'budget';
  return (
    <FormDialog
      title="Create a limit"
      submit="Create limit"
      isPending={create.isPending}
      error={create.error}
      isDisabled={fields.amount === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Picker label="Of" options={holders} value={fields.holder} onChange={(holder) => set({ holder })} />
      <Picker label="Kind" options={kinds} value={fields.kind} onChange={(kind) => set({ kind })} />
      <TextInput
        label={isBudget ? 'Amount in USD' : 'Number'}
        value={fields.amount}
        onChange={(amount) => set({ amount })}
        isRequired
      />
      {isBudget ? (
        <>
          <Picker label="For each" options={periods} value={fields.period} onChange={(period) => set({ period })} />
          <CalendarForm period={fields.period} fields={fields.calendar} onChange={(calendar) => set({ calendar })} />
          <Check isSelected={fields.soft} onChange={(soft) => set({ soft })}>
            Soft: it notifies, and refuses nothing
          </Check>
        </>
      ) : null}
      <Picker label="Counts" options={eachOptions} value={fields.each} onChange={(each) => set({ each })} />
      <TextInput
        label="Only requests with the tag"
        value={fields.tag}
        onChange={(tag) => set({ tag })}
        placeholder="feature=search"
      />
      <Picker
        label="By provider keys"
        options={trafficOptions}
        value={fields.traffic}
        onChange={(traffic) => set({ traffic })}
      />
      <TextInput
        label="Only for the model"
        value={fields.model}
        onChange={(model) => set({ model })}
        isMono
        placeholder="gpt-provider/*"
        description="A glob; empty: all models."
      />
    </FormDialog>
  );
}
