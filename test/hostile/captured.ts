// Prepares a tenant whose owner has all of its requests captured.
import { dayMs } from '../../common/durations.ts';
import type { Tenant } from './world.ts';

export async function captureAll({ organization: { api, id } }: Tenant): Promise<Record<string, string>> {
  const target = { kind: 'CAPTURE_TARGET_KIND_ORGANIZATION', id };
  const endsAt = new Date(Date.now() + dayMs).toISOString();
  await api.call('Captures/Enable', { organizationId: id, target, endsAt });
  return {};
}
