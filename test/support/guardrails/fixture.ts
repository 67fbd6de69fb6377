// Guardrails of one organization that its owner creates and removes while a proxy runs: each call returns when the
// proxy's responses show the change.
import { chatRequest, type TestOrganization, type TestProxy } from '../gateway.ts';
import { until } from '../process.ts';

/** Fields of Guardrails/Create, except for the organization and the name. */
export type GuardrailFields = Readonly<Record<string, unknown>>;

export interface GuardrailFixture {
  /** Replaces the organization's guardrails by this one. @returns its name. @throws Error of the control plane */
  replace(fields: GuardrailFields): Promise<string>;
  clear(): Promise<void>;
  /** Number of decisions by stage and decision, such as "input block". */
  decisions(name: string): Promise<Readonly<Record<string, number>>>;
}

/** Fields in short form: "redact" for "GUARDRAIL_ACTION_REDACT". */
export function guardrailFields(
  [stage, action]: readonly [stage: string, action: string],
  check: GuardrailFields,
  more: GuardrailFields = {},
): GuardrailFields {
  return {
    stage: `GUARDRAIL_STAGE_${stage.toUpperCase()}`,
    action: `GUARDRAIL_ACTION_${action.toUpperCase()}`,
    check,
    ...more,
  };
}

let named = 0;

export function openGuardrailFixture(
  { proxy }: { readonly proxy: Pick<TestProxy, 'url' | 'adminUrl'> },
  { api, id: organizationId }: TestOrganization,
  key: string,
): GuardrailFixture {
  let ids: string[] = [];
  const clear = async () => {
    for (const id of ids) await api.call('Guardrails/Delete', { id });
    ids = [];
  };
  /** The guardrails that apply to a small request. */
  const applies = async () => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, chatRequest(key));
    await response.arrayBuffer();
    return [...guardrailsIn(response.headers).keys()].join();
  };
  return {
    replace: async (fields) => {
      named++;
      const name = `guard-${named}`;
      await clear();
      const { guardrail } = (await api.call('Guardrails/Create', { organizationId, name, ...fields })) as {
        guardrail: { id: string };
      };
      ids.push(guardrail.id);
      await until(async () => (await applies()) === name, { what: `${name} to apply` });
      return name;
    },
    clear: async () => {
      await clear();
      await until(async () => (await applies()) === '', { what: 'no guardrail to apply' });
    },
    decisions: (name) => decisionsOf(proxy, name),
  };
}

/** Decisions by guardrail from `x-svc-guardrails`, in its order. */
export function guardrailsIn(headers: Headers): ReadonlyMap<string, readonly string[]> {
  const reported = new Map<string, readonly string[]>();
  for (const entry of (headers.get('x-svc-guardrails') ?? '').split(', ').filter((text) => text !== '')) {
    const [name = '', decision = ''] = entry.split('=');
    reported.set(name, [...(reported.get(name) ?? []), decision]);
  }
  return reported;
}

async function decisionsOf({ adminUrl }: { readonly adminUrl: string }, name: string) {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const lines = text.matchAll(/^gateway_guardrail_decisions_total\{(.*)\} (\d+)$/gm);
  const counts: Record<string, number> = {};
  for (const [, labels = '', count] of lines) {
    const label = (wanted: string) => new RegExp(`${wanted}="([^"]*)"`).exec(labels)?.[1];
    if (label('guardrail') === name) counts[`${label('stage')} ${label('decision')}`] = Number(count);
  }
  return counts;
}
