// Guardrails that a service decides, and their decisions, for tests of one stage of one request.
import { systemClock } from '../../common/clock.ts';
import type { GuardedPost } from '../../common/guarded-request.ts';
import { createLogger } from '../../common/logger.ts';
import type { Check, Guardrail } from '../../guardrails/definition.ts';
import type { OrganizationRecord, Principal } from '../../proxy/access/principal.ts';
import type { ChatCall } from '../../proxy/call.ts';
import { Decisions } from '../../proxy/guardrails/decisions.ts';
import type { ServiceGuard } from '../../proxy/guardrails/service.ts';
import type { ModerationDeps } from '../../proxy/guardrails/services/moderation.ts';
import { createServiceGuards, type ServiceGuardsDeps } from '../../proxy/guardrails/services/service-guard.ts';

export function guardrailOf(check: Check, fields: Partial<Guardrail> = {}): Guardrail {
  return {
    ...{ id: 'guardrail-1', name: 'our-guard', position: 100, stage: 'both', action: 'block' },
    ...{ onFailure: 'block', message: '', aiSystemIds: [], revision: 1 },
    check,
    ...fields,
  };
}

export const organization = { id: 'organization-1' } as OrganizationRecord;

export interface ServiceFixture {
  guard(guardrail: Guardrail, stage?: 'input' | 'output'): ServiceGuard;
  /** In the form in which they are counted: "our-guard input block". */
  readonly decisions: string[];
  /** Outcomes of calls, as in the metric. */
  readonly outcomes: string[];
  readonly logged: string[];
}

export function openServiceFixture(
  deps: Partial<ServiceGuardsDeps> & { readonly post?: GuardedPost; readonly moderation?: ModerationDeps },
): ServiceFixture {
  const decisions: string[] = [];
  const outcomes: string[] = [];
  const logged: string[] = [];
  const never = () => {
    throw new Error('not called in this test');
  };
  const guards = createServiceGuards({
    openPost: () => deps.post ?? never,
    moderation: { transport: { send: never, close: never }, targets: never },
    ...{ cloud: { targets: never, sign: never }, askModel: never },
    clock: systemClock,
    log: createLogger({ name: 'test', level: 'debug', stream: { write: (line) => void logged.push(line) } }),
    metrics: { serviceRequested: (_kind, outcome) => void outcomes.push(outcome) },
    ...deps,
  });
  const principal = { organization, key: { keyId: 'key-1' }, scope: undefined } as Principal;
  const call = {
    requestId: 'request-1',
    caller: { principal, project: undefined, direct: false },
    qualifiedModel: 'gpt-provider/gpt-4o-mini',
    request: { body: { messages: [] } },
  } as unknown as ChatCall;
  const reported = new Decisions(
    call,
    { guardrailHeader: undefined, guardrailsNotPassed: undefined },
    {
      metrics: {
        decided: ({ name }, stage, decision) => void decisions.push(`${name} ${stage} ${decision}`),
        took: never,
      },
      samples: { add: () => undefined },
    },
  );
  return {
    guard: (guardrail, stage = 'input') => {
      const made = guards(guardrail, { call, stage, decisions: reported });
      const { delaysResponse, window } = made;
      return {
        ...{ guardrail, delaysResponse, window, ended: () => made.ended() },
        inspect: async (texts, signal, about) => {
          const left = await made.inspect(texts, signal, about);
          // The request makes no further calls.
          made.ended();
          return left;
        },
      };
    },
    ...{ decisions, outcomes, logged },
  };
}
