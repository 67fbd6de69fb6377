// What needs attention: each item with the page that shows it.
import { Link } from '@tanstack/react-router';
import type { AttentionItem, AttentionKind } from '../../../generated/contract.ts';
import classes from '../../styles/page.module.css';
import { ago, dateTime, money, percent } from '../../ui/format.ts';
import { Panel } from '../../ui/layout.tsx';
import { Badge, Loading, type Tone } from '../../ui/notes.tsx';

interface Form {
  readonly tone: Tone;
  readonly name: string;
  readonly to: string;
  readonly tab?: string;
  readonly text: (item: AttentionItem) => string;
}

const forms: Readonly<Record<AttentionKind, Form>> = {
  ATTENTION_KIND_UNSPECIFIED: { tone: 'warn', name: 'Attention', to: '/', text: ({ targetName }) => targetName },
  ATTENTION_KIND_BUDGET_SPENT: { tone: 'bad', name: 'Budget spent', to: '/spend', tab: 'budgets', text: budgetText },
  ATTENTION_KIND_BUDGET_NEAR_END: { tone: 'warn', name: 'Budget', to: '/spend', tab: 'budgets', text: budgetText },
  ATTENTION_KIND_PROVIDER_KEY_REFUSED: {
    ...{ tone: 'bad', name: 'Provider key', to: '/models', tab: 'keys' },
    text: ({ targetName, detail, since }) => `${targetName}: ${detail}, ${ago(since)}`,
  },
  ATTENTION_KIND_GUARDRAIL_FAILS: {
    ...{ tone: 'bad', name: 'Guardrail', to: '/guardrails' },
    text: ({ targetName, detail, since }) => `${targetName} cannot check: ${detail}, since ${dateTime(since)}`,
  },
  ATTENTION_KIND_STOP: {
    ...{ tone: 'bad', name: 'Stop', to: '/settings/stops' },
    text: ({ targetName, detail }) => `${targetName} is stopped: ${detail}`,
  },
  ATTENTION_KIND_KEY_ENDS: {
    ...{ tone: 'warn', name: 'Key ends', to: '/settings/access/$id' },
    text: ({ targetName, endsAt }) => `${targetName} ends ${dateTime(endsAt)}`,
  },
  ATTENTION_KIND_UNCONFIRMED: {
    ...{ tone: 'warn', name: 'Unconfirmed', to: '/spend', tab: 'unconfirmed' },
    text: ({ targetName, amountUsd }) => `${money(amountUsd)} of ${targetName} wait for a proxy that is silent`,
  },
};

function budgetText({ targetName, used = 0, amountUsd }: AttentionItem): string {
  return `${targetName}: ${percent(used)} used${amountUsd === undefined ? '' : `, forecast ${money(amountUsd)}`}`;
}

export function Attention({ items }: { readonly items: readonly AttentionItem[] | undefined }) {
  return (
    <Panel title="Needs attention">
      {items === undefined ? <Loading rows={2} /> : null}
      {items?.length === 0 ? <p>Nothing needs attention.</p> : null}
      <ul className={classes.stack}>
        {items?.map((item) => {
          const { tone, name, to, tab, text } = forms[item.kind];
          return (
            <li key={`${item.kind} ${item.targetId}`} className={classes.row}>
              <Badge tone={tone}>{name}</Badge>
              <Link to={to.replace('$id', item.targetId)} search={tab === undefined ? {} : { tab }}>
                {text(item)}
              </Link>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
