// When the windows of a budget begin, and at which parts of it somebody is notified.
import type { Limit } from '../../../generated/contract.ts';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { listOf, timeZone } from '../../ui/format.ts';

export interface CalendarFields {
  /** Empty: UTC. */
  readonly timeZone: string;
  readonly hour: string;
  /** 1 is Monday. */
  readonly weekday: string;
  readonly dayOfMonth: string;
  /** Of a quarter: its first month, 1 to 3. */
  readonly month: string;
  /** Percents with commas; empty: the usual. */
  readonly thresholds: string;
}

export const newCalendar: CalendarFields = {
  ...{ timeZone: '', hour: '0', weekday: '1', dayOfMonth: '1', month: '1', thresholds: '' },
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((name, index) => ({
  id: String(index + 1),
  name,
}));
const quarters = ['January', 'February', 'March'].map((name, index) => ({ id: String(index + 1), name }));
const zones = [
  { id: '', name: 'UTC' },
  ...Intl.supportedValuesOf('timeZone')
    .filter((name) => name !== 'UTC')
    .map((name) => ({ id: name, name })),
];

/** The fields of a budget that has them. */
export function calendarFieldsOf({ timeZone: zone = 'UTC', startsOn = {}, thresholds }: Limit): CalendarFields {
  const { hour = 0, weekday = 1, dayOfMonth = 1, month = 1 } = startsOn;
  return {
    timeZone: zone === 'UTC' ? '' : zone,
    ...{ hour: String(hour), weekday: String(weekday), dayOfMonth: String(dayOfMonth), month: String(month) },
    thresholds: (thresholds?.percents ?? []).join(', '),
  };
}

export function thresholdsOf({ thresholds }: Pick<CalendarFields, 'thresholds'>) {
  return thresholds.trim() === '' ? {} : { thresholds: { percents: listOf(thresholds).map(Number) } };
}

/** Fields that say nothing new are left out: a budget in UTC from midnight on needs no calendar. */
export function calendarOf(period: string, fields: Omit<CalendarFields, 'thresholds'>) {
  if (period === 'hour' || period === 'total') return {};
  const start = {
    ...(fields.hour === '0' ? {} : { hour: Number(fields.hour) }),
    ...(period === 'week' && fields.weekday !== '1' ? { weekday: Number(fields.weekday) } : {}),
    ...((period === 'month' || period === 'quarter') && fields.dayOfMonth !== '1'
      ? { dayOfMonth: Number(fields.dayOfMonth) }
      : {}),
    ...(period === 'quarter' && fields.month !== '1' ? { month: Number(fields.month) } : {}),
  };
  return {
    ...(fields.timeZone === '' ? {} : { timeZone: fields.timeZone }),
    ...(Object.keys(start).length === 0 ? {} : { startsOn: start }),
  };
}

export interface CalendarFormProps {
  readonly period: string;
  readonly fields: CalendarFields;
  readonly onChange: (fields: CalendarFields) => void;
}

export function CalendarForm({ period, fields, onChange }: CalendarFormProps) {
  const set = (change: Partial<CalendarFields>) => onChange({ ...fields, ...change });
  const isLong = period === 'month' || period === 'quarter';
  return (
    <>
      {period === 'hour' || period === 'total' ? null : (
        <>
          <Picker
            label="Time zone of its windows"
            options={zones}
            value={fields.timeZone}
            onChange={(zone) => set({ timeZone: zone })}
            description={`Yours is ${timeZone}.`}
          />
          <TextInput label="Begins at the hour" type="number" value={fields.hour} onChange={(hour) => set({ hour })} />
        </>
      )}
      {period === 'week' ? (
        <Picker label="Begins on" options={weekdays} value={fields.weekday} onChange={(weekday) => set({ weekday })} />
      ) : null}
      {isLong ? (
        <TextInput
          label="Begins on the day of the month"
          type="number"
          value={fields.dayOfMonth}
          onChange={(dayOfMonth) => set({ dayOfMonth })}
          description="1 to 28."
        />
      ) : null}
      {period === 'quarter' ? (
        <Picker
          label="First quarter begins in"
          options={quarters}
          value={fields.month}
          onChange={(month) => set({ month })}
        />
      ) : null}
      <TextInput
        label="Notify at percents"
        value={fields.thresholds}
        onChange={(thresholds) => set({ thresholds })}
        placeholder="50, 80, 100"
        description="By webhooks and in the audit log; empty: 50, 80 and 100."
      />
    </>
  );
}
