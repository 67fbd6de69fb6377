// One key: what it is, what it may do now, and what can be done with it.
import { Link, useParams } from '@tanstack/react-router';
import type { ExplainVirtualKeyResponse, KeyBlock, VirtualKey } from '../../../generated/contract.ts';
import { useRead } from '../../api/queries.ts';
import { ago, count, dateTime, money, word } from '../../ui/format.ts';
import { Bar, Facts, Mono, Muted, Page, Pair, Panel, Stack } from '../../ui/layout.tsx';
import { Badge, Empty, ErrorNote, Loading, Note } from '../../ui/notes.tsx';
import { limitText } from '../shared/limit-text.ts';
import { KeyActions } from './key-actions.tsx';
import { KeyBadge, scopeText } from './key-state.tsx';

export function KeyPage() {
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useRead('VirtualKeys.Explain', { id });
  const key = data?.virtualKey;
  if (error !== null) {
    return (
      <Page title="Key">
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (data === undefined || key === undefined) {
    return (
      <Page title="Key">
        <Loading />
      </Page>
    );
  }
  return (
    <Page
      title={key.name}
      description={<Link to="/settings/access">All keys</Link>}
      actions={<KeyActions virtualKey={key} />}
    >
      <Blocks blocks={data.blocks} />
      <Pair>
        <KeyFacts virtualKey={key} />
        <Policy explained={data} />
      </Pair>
      <Pair>
        <Limits explained={data} />
        <Guards explained={data} />
      </Pair>
    </Page>
  );
}

const reasons: Readonly<Record<KeyBlock, string>> = {
  KEY_BLOCK_UNSPECIFIED: 'Every request with this key is refused.',
  KEY_BLOCK_REVOKED: 'It was revoked. This is final: create another key.',
  KEY_BLOCK_INACTIVE: 'It is switched off. Switch it on to use it again.',
  KEY_BLOCK_EXPIRED: 'Its end has passed. Change the end to use it again.',
  KEY_BLOCK_ORGANIZATION_SUSPENDED: 'The organization is suspended. An operator of the platform can resume it.',
  KEY_BLOCK_SCOPE_SUSPENDED: 'What it belongs to is suspended. An owner or admin can change that.',
};

function Blocks({ blocks }: { readonly blocks: readonly KeyBlock[] }) {
  if (blocks.length === 0) return null;
  return (
    <Note tone="warn">
      <strong>Every request with this key is refused.</strong>
      {blocks.map((block) => (
        <span key={block}>{reasons[block]}</span>
      ))}
    </Note>
  );
}

function KeyFacts({ virtualKey }: { readonly virtualKey: VirtualKey }) {
  const { status, hint, createdAt, createdByName, endsAt, revokedAt, lastUsedAt, lastUsedFrom } = virtualKey;
  return (
    <Panel title="Key">
      <Facts
        facts={[
          ['Status', <KeyBadge key="status" status={status} />],
          ['Ends with', <Mono key="hint">…{hint}</Mono>],
          ['Belongs to', scopeText(virtualKey)],
          ['Created', `${dateTime(createdAt)}${createdByName === undefined ? '' : ` by ${createdByName}`}`],
          ['Ends', endsAt === undefined ? 'never' : dateTime(endsAt)],
          ['Revoked', revokedAt === undefined ? undefined : dateTime(revokedAt)],
          ['Last used', lastUsedAt === undefined ? 'never' : `${ago(lastUsedAt)}, ${dateTime(lastUsedAt)}`],
          ['Last model', lastUsedFrom?.model],
          ['Cost this month', money(virtualKey.spendMonthUsd)],
          ['Priority', word(virtualKey.priorityClass, 'KEY_PRIORITY_CLASS_')],
          ['Weight', count(virtualKey.weight)],
          ['Id', <Mono key="id">{virtualKey.id}</Mono>],
        ]}
      />
      {virtualKey.rotatedValues.map((value) => (
        <Note key={value.hint} tone="warn">
          An older value, which ends with …{value.hint}, works until {dateTime(value.endsAt)}.
        </Note>
      ))}
      <Link to="/requests" search={{ key: virtualKey.id }}>
        Requests with this key
      </Link>
    </Panel>
  );
}

const modelsShown = 12;

function Policy({ explained }: { readonly explained: ExplainVirtualKeyResponse }) {
  const { models, modelsAllowed, modelsKnown, modelsOpen, allowLists, routes, callerProviderKeys, stops } = explained;
  return (
    <Panel title="What it may call">
      <Facts
        facts={[
          [
            'Models',
            `${count(modelsAllowed)} of ${count(modelsKnown)} known${modelsOpen ? ', and unlisted ones' : ''}`,
          ],
          ['Routes', count(explained.routesAllowed)],
          ['Own provider key', callerProviderKeys ? 'allowed' : 'not allowed'],
        ]}
      />
      {stops.map((stop) => (
        <Note key={stop.id} tone="warn">
          Stopped by an operator: {stop.reason}
        </Note>
      ))}
      {allowLists.map(({ holderName, globs, holder }) => (
        <div key={holder?.id}>
          <h3>Allowed by {holderName}</h3>
          <Mono>{globs.join(', ')}</Mono>
        </div>
      ))}
      <div>
        <h3>Models</h3>
        <Mono>{models.slice(0, modelsShown).join(', ') || 'none'}</Mono>
        {modelsAllowed > modelsShown ? (
          <p>
            <Link to="/models" search={{ key: explained.virtualKey?.id }}>
              {count(modelsAllowed - modelsShown)} more
            </Link>
          </p>
        ) : null}
      </div>
      {routes.length === 0 ? null : (
        <div>
          <h3>Routes</h3>
          <Mono>{routes.join(', ')}</Mono>
        </div>
      )}
    </Panel>
  );
}

function Limits({ explained }: { readonly explained: ExplainVirtualKeyResponse }) {
  return (
    <Panel title="Limits that apply">
      {explained.limits.length === 0 ? <Empty title="No limit applies" /> : null}
      <Stack>
        {explained.limits.map(({ limit, subjectName, window }) => (
          <div key={limit?.id}>
            <p>
              {limit === undefined ? '' : limitText(limit)} <Muted>of {subjectName}</Muted>
            </p>
            {window === undefined ? null : (
              <>
                <Bar
                  part={Number(window.spentUsd) / Number(window.amountUsd)}
                  label={`Spent of ${money(window.amountUsd)}`}
                />
                <Muted>
                  {money(window.spentUsd)} spent, {money(window.freeUsd)} free
                </Muted>
              </>
            )}
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

function Guards({ explained }: { readonly explained: ExplainVirtualKeyResponse }) {
  return (
    <Panel title="Guardrails that apply">
      {explained.guardrails.length === 0 ? <Empty title="No guardrail applies" /> : null}
      <ul>
        {explained.guardrails.map(({ id, name, stage, action }) => (
          <li key={id}>
            {name} <Badge>{word(action, 'GUARDRAIL_ACTION_')}</Badge> <Muted>{word(stage, 'GUARDRAIL_STAGE_')}</Muted>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
