// Whose things a command is about: the organization that is said, or the context's, or the only one the caller belongs to.
import type { Client } from './client.ts';
import type { Invocation } from './command.ts';
import { type Failure, usageMistake } from './failure.ts';
import { callerOf, idOf } from './names.ts';

/** @throws Failure where it is not clear which one is meant */
export async function organizationInUse(invocation: Invocation): Promise<string> {
  const id = await organizationIfAny(invocation);
  if (id !== undefined) return id;
  throw noOrganization();
}

export function noOrganization(): Failure {
  return usageMistake(
    'say which organization: --organization <name>, or for good: gatewayctl context set --organization <name>',
  );
}

/** Undefined: none, the platform itself is meant. */
export async function organizationIfAny(invocation: Invocation): Promise<string | undefined> {
  if (invocation.options.platform === true) return undefined;
  const { organization } = await invocation.session();
  const client = await invocation.client();
  if (organization !== undefined)
    return await idOf('organization', organization, client, async () => undefined);
  return await ownOrganization(client);
}

/** The caller's own; undefined for operators of the platform, who belong to none. */
async function ownOrganization(client: Client): Promise<string | undefined> {
  return (await callerOf(client))?.organizationId;
}
