// One request: what happened, why, and who can do what about it.
import { Link, useParams } from '@tanstack/react-router';
import type { GetRequestResponse, RequestRemedy, RequestRow } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useRead } from '../../api/queries.ts';
import { count, dateTimeSeconds, duration, money, word } from '../../ui/format.ts';
import { Facts, Mono, Page, Pair, Panel } from '../../ui/layout.tsx';
import { ErrorNote, Loading, Note } from '../../ui/notes.tsx';
import { Content } from '../captures/content.tsx';
import { StatusBadge } from './requests-page.tsx';

export function RequestPage() {
  const { id = '' } = useParams({ strict: false });
  const { organizationId } = useCaller();
  const { data, error } = useRead('Requests.Get', { organizationId, id });
  return (
    <Page title="Request" description={<Link to="/requests">All requests</Link>}>
      <ErrorNote error={error} />
      {data === undefined && error === null ? <Loading /> : null}
      {data?.request === undefined ? null : <Found found={data} row={data.request} />}
    </Page>
  );
}

function Found({ found, row }: { readonly found: GetRequestResponse; readonly row: RequestRow }) {
  return (
    <>
      <Explanation found={found} />
      <Pair>
        <Caller row={row} />
        <Outcome row={row} />
        <Usage row={row} />
      </Pair>
      {found.contentKept ? <Content id={row.id} /> : null}
    </>
  );
}

const remedies: Readonly<Record<RequestRemedy, string>> = {
  REQUEST_REMEDY_UNSPECIFIED: '',
  REQUEST_REMEDY_NONE: 'Nothing needs to change.',
  REQUEST_REMEDY_CALLER: 'The program that sends the request can change it.',
  REQUEST_REMEDY_ADMIN: 'An owner or admin of the organization can change it.',
  REQUEST_REMEDY_OWNER: 'An owner of the organization can change it.',
  REQUEST_REMEDY_PLATFORM_OPERATOR: 'An operator of the platform can change it.',
  REQUEST_REMEDY_PROVIDER: 'The provider can change it.',
  REQUEST_REMEDY_WAIT: 'It ends without a change: wait and try again.',
};

function Explanation({ found: { explanation, request } }: { readonly found: GetRequestResponse }) {
  if (explanation === undefined) return null;
  const tone = request?.result === 'REQUEST_RESULT_OK' ? 'good' : 'warn';
  return (
    <Note tone={tone}>
      <strong>{explanation.cause}</strong>
      {explanation.advice === '' ? null : <span>{explanation.advice}</span>}
      <span>{remedies[explanation.remedy]}</span>
      {explanation.decidedBy === '' ? null : <span>Decided by: {explanation.decidedBy}</span>}
    </Note>
  );
}

function Caller({ row }: { readonly row: RequestRow }) {
  const { source, facts } = row;
  return (
    <Panel title="Caller">
      <Facts
        facts={[
          ['At', dateTimeSeconds(row.at)],
          [
            'Key',
            row.keyName === '' ? (
              `…${row.keyHint}`
            ) : (
              <Link key="k" to={`/settings/access/${source?.keyId}`}>
                {row.keyName}
              </Link>
            ),
          ],
          ['AI system', row.aiSystemName],
          ['Person', row.personName],
          ['Path', <Mono key="path">{`${source?.method} ${source?.path}`}</Mono>],
          ['Format', source?.clientFormat],
          ['User agent', source?.userAgent],
          ['Session', facts?.session],
          ['Request id', <Mono key="id">{facts?.requestId}</Mono>],
          ['Trace id', facts?.traceId === '' ? undefined : <Mono key="trace">{facts?.traceId}</Mono>],
          ...Object.entries(facts?.tags ?? {}).map(([name, value]) => [`Tag ${name}`, value] as const),
        ]}
      />
    </Panel>
  );
}

function Outcome({ row }: { readonly row: RequestRow }) {
  const { source, facts } = row;
  return (
    <Panel title="Outcome">
      <Facts
        facts={[
          ['Status', <StatusBadge key="status" row={row} />],
          ['Error code', facts?.errorCode],
          ['Error of', facts?.errorSource],
          ['Message', facts?.errorMessage],
          ['Limit', row.limit],
          ['Guardrail', row.guardrailName],
          ['Guardrails that applied', facts?.guardrails],
          ['Requested model', source?.model],
          ['Served model', source?.modelAnswered],
          ['Route', source?.route],
          ['Provider', source?.provider],
          ['Provider key', source?.directKey ? 'the caller’s own' : row.providerKeyName],
          ['Attempts', count(facts?.attempts)],
          ['Provider’s request id', facts?.upstreamRequestId],
        ]}
      />
    </Panel>
  );
}

function Usage({ row }: { readonly row: RequestRow }) {
  const { facts, source } = row;
  const tokens = facts?.tokens;
  return (
    <Panel title="Time, tokens and cost">
      <Facts
        facts={[
          ['Duration', duration(facts?.durationMs)],
          ['First byte', facts?.firstByteMs === undefined ? undefined : duration(facts.firstByteMs)],
          ['Streamed', source?.streamed ? 'yes' : 'no'],
          ['Cache of responses', source?.cache],
          ['Prompt tokens', count(tokens?.prompt)],
          ['Completion tokens', count(tokens?.completion)],
          ['Cache read', tokens?.cacheRead ? count(tokens.cacheRead) : undefined],
          ['Cache write', tokens?.cacheWrite ? count(tokens.cacheWrite) : undefined],
          ['Reasoning', tokens?.reasoning ? count(tokens.reasoning) : undefined],
          ['Cost', money(row.costUsd)],
          ['Estimated because', estimate(facts?.estimateReason)],
          ['Represents', (facts?.represents ?? 1) > 1 ? `${count(facts?.represents)} equal refusals` : undefined],
        ]}
      />
    </Panel>
  );
}

function estimate(reason: string | undefined): string | undefined {
  return reason === undefined || reason.endsWith('UNSPECIFIED') ? undefined : word(reason, 'ESTIMATE_REASON_');
}
