// Attacks on the control plane by a tenant's owner or by strangers: a row for each resource of
// control-plane/rpc/shares.ts.
import { createCredential } from '../../common/credential.ts';
import { shareRows } from '../../control-plane/rpc/shares.ts';
import { type Attack, atProxy, divided, type Hostile, keepCalling, operate, tooMany } from './attack.ts';
import { call, chatBody, chatPath } from './calls.ts';
import { captureAll } from './captured.ts';

/** Patterns that take half a second or more of processor time before they are refused. */
const patterns = [500, 501, 502, 503].map((count) => `\\pL{${count}}z`);

const guardrail = ({ organizationId }: Hostile) => ({
  ...{ organizationId, name: 'slow', stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK' },
  check: { pattern: { patterns } },
});

/** Waits with many calls at a time, so that some are refused. */
function crowd(
  hostile: Hostile,
  { waiting, alpha }: { readonly waiting: number; readonly alpha: number },
  once: () => Promise<string>,
): Promise<void> {
  return keepCalling(hostile, { loops: tooMany(hostile, waiting, alpha), everyMs: 1_000 }, once);
}

export const controlPlaneAttacks = {
  crowds_of_changes: {
    resource: 'controlPlane changes',
    about: 'changes, very many at the same time',
    neighbour: 'revocations',
    run: (hostile) => {
      const { organizationId } = hostile;
      return crowd(hostile, shareRows.changes, () =>
        operate(hostile, 'AiSystems/Create', { organizationId, name: crypto.randomUUID() }),
      );
    },
  },
  changes_in_a_loop: {
    resource: 'controlPlane change_rate',
    about: 'changes that are refused, in a loop',
    neighbour: 'revocations',
    run: (hostile) =>
      keepCalling(hostile, { loops: divided(hostile, 10), everyMs: 20 }, () =>
        operate(hostile, 'AiSystems/Create', { organizationId: hostile.organizationId, name: '' }),
      ),
  },
  crowds_of_lists: {
    resource: 'controlPlane reads',
    about: 'lists, very many at the same time',
    neighbour: 'lists',
    run: (hostile) => crowd(hostile, shareRows.reads, () => list(hostile)),
  },
  lists_in_a_loop: {
    resource: 'controlPlane read_rate',
    about: 'lists in a loop',
    neighbour: 'lists',
    run: (hostile) => keepCalling(hostile, { loops: divided(hostile, 10), everyMs: 20 }, () => list(hostile)),
  },
  crowds_of_sums: {
    resource: 'controlPlane sum_reads',
    about: 'totals of usage, twice as many at the same time as may be in flight',
    neighbour: 'lists',
    run: (hostile) =>
      keepCalling(hostile, { loops: 2 * shareRows.sum_reads.each, everyMs: 20 }, () =>
        operate(hostile, 'Usage/Totals', { organizationId: hostile.organizationId }),
      ),
  },
  crowds_of_patterns: {
    resource: 'controlPlane guardrail_work',
    about: 'slow expressions that are refused, many at the same time',
    neighbour: 'revocations',
    run: (hostile) =>
      crowd(hostile, shareRows.guardrail_work, () => operate(hostile, 'Guardrails/Create', guardrail(hostile))),
  },
  three_slow_patterns: {
    resource: 'controlPlane guardrail_time',
    about: 'slow expressions that are refused, three at the same time',
    neighbour: 'revocations',
    seen: 'used',
    run: (hostile) =>
      keepCalling(hostile, { loops: divided(hostile, 3), everyMs: 5 }, () =>
        operate(hostile, 'Guardrails/Create', guardrail(hostile)),
      ),
  },
  crowds_of_downloads: {
    resource: 'controlPlane exports',
    about: 'downloads of usage, many at the same time',
    neighbour: 'lists',
    run: async (hostile) => {
      const loops = tooMany(hostile, shareRows.exports.capacity, shareRows.exports.alpha);
      // All at once, because their rate allows no second one.
      const first = Array.from({ length: loops }, async () => hostile.count(await download(hostile)));
      await Promise.all(first);
      await keepCalling(hostile, { loops, everyMs: 1_000 }, () => download(hostile));
    },
  },
  downloads_in_a_loop: {
    resource: 'controlPlane export_rate',
    about: 'downloads of usage in a loop',
    neighbour: 'lists',
    run: (hostile) => keepCalling(hostile, { loops: 1, everyMs: 50 }, () => download(hostile)),
  },
  very_many_rows: {
    resource: 'controlPlane request_rows',
    about: 'lists of models in a loop, each of which is a row of requests',
    neighbour: 'lists',
    seen: 'used',
    run: (hostile) =>
      keepCalling(hostile, { loops: divided(hostile, 10), everyMs: 1 }, () =>
        atProxy(hostile, { method: 'GET', path: '/v1/models' }),
      ),
  },
  captured_chats: {
    resource: 'controlPlane captures',
    about: 'chats in a loop, of which an owner has captured all',
    neighbour: 'lists',
    seen: 'used',
    prepare: captureAll,
    run: (hostile) =>
      keepCalling(hostile, { loops: divided(hostile, 10), everyMs: 5 }, () =>
        atProxy(hostile, { path: chatPath, body: chatBody('fast') }),
      ),
  },
  made_up_tokens: {
    resource: 'controlPlane unknown_tokens',
    about: 'unknown tokens of operators in the right format',
    neighbour: 'lists',
    run: (hostile) =>
      keepCalling(hostile, { loops: 2, everyMs: 20 * hostile.tenants }, () =>
        call(
          { port: hostile.ports.controlPlane, address: hostile.address },
          {
            ...{ path: '/gateway.v1.Status/Get', key: createCredential('operator'), body: '{}' },
            signal: hostile.signal,
          },
        ),
      ),
  },
  made_up_sign_ins: {
    resource: 'controlPlane sign_ins',
    about: 'sign-ins at the console with unknown tokens in the right format',
    neighbour: 'lists',
    run: (hostile) =>
      keepCalling(hostile, { loops: 2, everyMs: 20 * hostile.tenants }, () => {
        const body = JSON.stringify({ operatorToken: createCredential('operator') });
        const headers = { 'sec-fetch-site': 'same-origin' };
        return call(
          { port: hostile.ports.controlPlane, address: hostile.address },
          { path: '/console/auth/start', key: '', body, headers, signal: hostile.signal },
        );
      }),
  },
} as const satisfies Record<string, Attack>;

function list(hostile: Hostile): Promise<string> {
  return operate(hostile, 'AiSystems/List', { organizationId: hostile.organizationId });
}

function download(hostile: Hostile): Promise<string> {
  return operate(hostile, 'Usage/Export', {
    organizationId: hostile.organizationId,
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date().toISOString(),
    format: 'USAGE_FORMAT_CSV',
  });
}
