// The organization of a command: the one given by an option, the context's, or the only one to which the caller
// belongs.
import type { Client } from './client.ts';
import type { Invocation } from './command.ts';
import { type Failure, usageMistake } from './failure.ts';
import { callerOf, idOf } from './names.ts';

/** @throws Failure if it is not clear which one is meant */
export async function organizationInUse(invocation: Invocation): Promise<string> {
  const id = await organizationIfAny(invocation);
  if (id !== undefined) return id;
  throw noOrganization();
}

export function noOrganization(): Failure {
  return usageMistake(
    'give the organization: --organization <name>, or for good: gatewayctl context set --organization <name>',
  );
}

/** Undefined: no organization; the platform itself is meant. */
export async function organizationIfAny(invocation: Invocation): Promise<string | undefined> {
  if (invocation.options.platform === true) return undefined;
  const { organization } = await invocation.session();
  const client = await invocation.client();
  if (organization !== undefined) return await idOf('organization', organization, client, async () => undefined);
  return await ownOrganization(client);
}

/** The caller's own organization; undefined for platform operators, who belong to none. */
async function ownOrganization(client: Client): Promise<string | undefined> {
  return (await callerOf(client))?.organizationId;
}
