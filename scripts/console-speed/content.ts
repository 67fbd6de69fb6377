// What is measured: a control plane with 10,000 keys and 10,000 rows of requests in one organization, and an empty page
// beside it, which shows how busy the machine is.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOfUnit } from '../../control-plane/usage/levels.ts';
import { manyKeys, manyRequests, manySums, runSqlite } from '../../test/support/many-rows.ts';
import { bootstrap, createTenant, startOperatorsPlane } from '../../test/support/operators.ts';

export interface Content {
  /** The console's URL. */
  readonly base: string;
  readonly emptyUrl: string;
  readonly ownerToken: string;
  readonly platformToken: string;
  close(): Promise<void>;
}

export const rows = { keys: 10_000, requests: 10_000 } as const;
/** Sums of as many keys and hours as one call reads. */
const sums = { keys: 400, hours: 100 } as const;

export async function startContent(): Promise<Content> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-console-speed-'));
  const path = join(folder, 'gateway.db');
  const often = { perMinute: 1_000_000, burst: 1_000_000 };
  const plane = await startOperatorsPlane({
    env: { GATEWAY_DATABASE_URL: `sqlite:${path}` },
    rates: { read_rate: often, sign_ins: often },
  });
  const platform = await bootstrap(plane);
  const acme = await createTenant(plane, platform, 'acme');
  const organizationId = acme.id;
  const everything = { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: organizationId };
  const budget = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '50', period: 'BUDGET_PERIOD_MONTH' };
  await plane.expect('Limits.Create', acme.owner.token, { organizationId, subject: everything, ...budget });
  runSqlite(path, [
    manyKeys({ organizationId, keys: rows.keys }),
    manyRequests(organizationId, rows.requests),
    manySums({ organizationId, personId: acme.member.id, ...sums, lastHour: startOfUnit('hour', Date.now()) }),
  ]);
  const empty = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Empty</title><h1>Nothing</h1>');
  });
  await new Promise<void>((resolve) => empty.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${plane.plane.httpPort}/console/`,
    emptyUrl: `http://127.0.0.1:${(empty.address() as AddressInfo).port}/`,
    ownerToken: acme.owner.token,
    platformToken: platform.token,
    close: async () => {
      empty.closeAllConnections();
      empty.close();
      await plane.close();
      rmSync(folder, { recursive: true });
    },
  };
}
