// What the gateway recorded of a request of the playground: cost, tokens, and what to do if it failed.
import { Link } from '@tanstack/react-router';
import { useCaller } from '../../api/caller.tsx';
import { useRead } from '../../api/queries.ts';
import { count, duration, money } from '../../ui/format.ts';
import { Facts } from '../../ui/layout.tsx';
import { Note } from '../../ui/notes.tsx';
import type { Outcome } from './call-proxy.ts';

const pollMs = 1_000;

export function Result({ outcome }: { readonly outcome: Outcome }) {
  const { status, error, requestId, firstTextMs, totalMs } = outcome;
  return (
    <>
      {error === undefined ? null : (
        <div role="alert">
          <Note tone="bad">
            {status === 0 ? '' : `${status}: `}
            {error}
          </Note>
        </div>
      )}
      <Facts
        facts={[
          ['First text after', firstTextMs === undefined ? undefined : duration(firstTextMs)],
          ['In all', duration(totalMs)],
        ]}
      />
      {requestId === undefined ? null : <Recorded id={requestId} />}
    </>
  );
}

/** The row of a request is there some seconds after its end. */
function Recorded({ id }: { readonly id: string }) {
  const { organizationId } = useCaller();
  const { data } = useRead('Requests.Get', { organizationId, id }, { refetchMs: pollMs, untilFound: true });
  const { request, explanation } = data ?? {};
  if (request === undefined) return <Note>The gateway records the request; its cost follows.</Note>;
  const { tokens, errorCode = '' } = request.facts ?? {};
  return (
    <>
      <Facts
        facts={[
          ['Cost', money(request.costUsd)],
          ['Tokens', tokens === undefined ? undefined : `${count(tokens.prompt)} → ${count(tokens.completion)}`],
          ['Served by', request.source?.provider],
          ['Attempts', request.facts === undefined ? undefined : count(request.facts.attempts)],
        ]}
      />
      {errorCode === '' ? null : (
        <Note tone="warn">
          {explanation?.cause} {explanation?.advice}
        </Note>
      )}
      <Link to="/requests/$id" params={{ id }}>
        Request {id}
      </Link>
    </>
  );
}
