// Changes a limit. The calendar of a budget never changes, because its windows are in the ledger: another calendar makes
// another budget, which counts what was used before, and deletes this one after that. If the second call fails, both
// apply, so that at no time more can be spent than one of them allows.
import { useState } from 'react';
import type { CreateLimitRequest, Limit } from '../../../generated/contract.ts';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Check, TextInput } from '../../ui/fields.tsx';
import { word } from '../../ui/format.ts';
import { Note } from '../../ui/notes.tsx';
import { limitText } from '../shared/limit-text.ts';
import { type CalendarFields, CalendarForm, calendarFieldsOf, calendarOf, thresholdsOf } from './limit-calendar.tsx';

export interface ChangeLimitProps {
  readonly limit: Limit;
  readonly onClose: () => void;
}

interface Fields {
  readonly amount: string;
  readonly soft: boolean;
  readonly calendar: CalendarFields;
}

export function ChangeLimit({ limit, onClose }: ChangeLimitProps) {
  const isBudget = limit.kind === 'LIMIT_KIND_BUDGET';
  const [fields, setFields] = useState<Fields>(() => ({
    amount: (isBudget ? limit.amountUsd : limit.count) ?? '',
    soft: limit.soft ?? false,
    calendar: calendarFieldsOf(limit),
  }));
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const { isPending, error, run } = useLimitChange(limit);
  const submit = async () => {
    if (await run(fields)) onClose();
  };
  return (
    <FormDialog
      title={`Change ${limitText(limit)}`}
      submit="Save"
      isPending={isPending}
      error={error}
      isDisabled={fields.amount === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput
        label={isBudget ? 'Amount in USD' : 'Number'}
        value={fields.amount}
        onChange={(amount) => set({ amount })}
        isRequired
        autoFocus
      />
      {isBudget ? (
        <>
          <CalendarForm period={periodOf(limit)} fields={fields.calendar} onChange={(calendar) => set({ calendar })} />
          <Check isSelected={fields.soft} onChange={(soft) => set({ soft })}>
            Soft: it notifies, and refuses nothing
          </Check>
          {isOtherCalendar(limit, fields) ? (
            <Note tone="warn">
              Another calendar makes another budget with an id of its own, and deletes this one. It counts what was used
              in its window before, by full hours
              {limit.traffic === undefined ? '' : '; of a part of the traffic from now on'}.
              {limit.raises.length === 0 ? '' : ' Raises end.'}
            </Note>
          ) : null}
        </>
      ) : null}
    </FormDialog>
  );
}

function useLimitChange(limit: Limit) {
  const update = useChange('Limits.Update');
  const create = useChange('Limits.Create');
  const remove = useChange('Limits.Delete');
  /** The budget that was made in place of this one, if only its deletion failed. */
  const [isMade, setMade] = useState(false);
  const run = async (fields: Fields): Promise<boolean> => {
    if (!isMade && !isOtherCalendar(limit, fields)) {
      return (
        (await update.run({ id: limit.id, ifRevision: limit.revision, ...amountsOf(limit, fields) })) !== undefined
      );
    }
    if (!isMade && (await create.run(copyOf(limit, fields))) === undefined) return false;
    setMade(true);
    return (await remove.run({ id: limit.id })) !== undefined;
  };
  return {
    isPending: update.isPending || create.isPending || remove.isPending,
    error: update.error ?? create.error ?? remove.error,
    run,
  };
}

function periodOf({ period }: Limit): string {
  return word(period ?? '', 'BUDGET_PERIOD_');
}

function isOtherCalendar(limit: Limit, { calendar }: Fields): boolean {
  const period = periodOf(limit);
  return JSON.stringify(calendarOf(period, calendar)) !== JSON.stringify(calendarOf(period, calendarFieldsOf(limit)));
}

function amountsOf({ kind }: Limit, { amount, soft, calendar }: Fields) {
  return kind === 'LIMIT_KIND_BUDGET' ? { amountUsd: amount, soft, ...thresholdsOf(calendar) } : { count: amount };
}

/** Everything that counts is the same but the calendar. */
function copyOf(limit: Limit, fields: Fields): CreateLimitRequest {
  const { organizationId, subject, period, model, tag, each, required, traffic } = limit;
  return {
    organizationId,
    kind: 'budget',
    allowUnmatched: true,
    ...(subject !== undefined && subject.kind !== 'LIMIT_SUBJECT_KIND_UNSPECIFIED'
      ? { subject: { kind: subject.kind, id: subject.id } }
      : {}),
    ...(period !== undefined && period !== 'BUDGET_PERIOD_UNSPECIFIED' ? { period } : {}),
    ...(model === undefined ? {} : { model }),
    ...(tag === undefined ? {} : { tag }),
    ...(each === undefined ? {} : { each }),
    ...(required === undefined ? {} : { required }),
    ...(traffic !== undefined && traffic !== 'LIMIT_TRAFFIC_UNSPECIFIED' ? { traffic } : {}),
    ...amountsOf(limit, fields),
    ...calendarOf(periodOf(limit), fields.calendar),
  };
}
