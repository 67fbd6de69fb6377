// The ledger after a run, when everything is reported, compared with callers and vendors.
import { recordedRequests } from '../support/recorded.ts';
import { ledgerAtRest } from '../support/spending.ts';
import { faultsOfAccounts, type NamedCall } from './accounts.ts';
import type { VendorRequests } from './vendor.ts';
import type { Tenant, World } from './world.ts';

/** @param httpPort of the JSON API; default: the first control plane's */
export async function faultsOfLedger(
  { controlPlane, vendors }: Pick<World, 'controlPlane' | 'vendors'>,
  { organization, budget }: Tenant,
  calls: readonly NamedCall[],
  httpPort = controlPlane.ports.http_port ?? 0,
): Promise<readonly string[]> {
  const ledger = await ledgerAtRest(organization, budget);
  const rows = await recordedRequests({ controlPlane: { httpPort }, organization });
  const requests: Record<string, VendorRequests> = {};
  for (const [name, vendor] of Object.entries(vendors)) requests[name] = await vendor.requests();
  return faultsOfAccounts({ calls, requests, rows, ledger });
}
