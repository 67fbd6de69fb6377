// Names for the shell's completion. They are kept in a file for some seconds, because a user presses Tab several times,
// and each time is a program of its own. A failure is no names: a message would be in the middle of the line.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Invocation } from './command.ts';
import { isNamedInOrganization, type Noun, namesOf } from './names.ts';
import { organizationIfAny } from './organization.ts';
import { openSession, type Session } from './session.ts';

const keptMs = 10_000;
const timeout = '2s';

/** Empty if they cannot be read now. */
export async function completedNames(noun: Noun, invocation: Invocation): Promise<readonly string[]> {
  let session: Session | undefined;
  try {
    const opened = await openSession({ ...invocation.options, timeout }, invocation.io);
    session = opened;
    if (opened.target.token === undefined) return [];
    const file = fileOf(noun, opened, invocation.io.env);
    const kept = readKept(file);
    if (kept !== undefined) return kept;
    const brief = { ...invocation, session: async () => opened, client: opened.client };
    const organizationId = isNamedInOrganization(noun) ? await organizationIfAny(brief) : undefined;
    const names = await namesOf(noun, await opened.client(), organizationId);
    const shown = names.filter((name) => !/\p{Cc}/u.test(name)).toSorted();
    keep(file, shown);
    return shown;
  } catch {
    return [];
  } finally {
    session?.close();
  }
}

/** One file for each server, user, organization and kind. The token is in the digest only. */
function fileOf(noun: Noun, { target, organization }: Session, env: NodeJS.ProcessEnv): string {
  const folder = join(env.XDG_CACHE_HOME || join(env.HOME ?? homedir(), '.cache'), 'gatewayctl');
  const key = JSON.stringify([target.server, target.token?.reveal(), organization, noun]);
  return join(folder, `names-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`);
}

function readKept(file: string): readonly string[] | undefined {
  try {
    const { mtimeMs } = statSync(file);
    if (Math.abs(Date.now() - mtimeMs) > keptMs) return undefined;
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return undefined;
  }
}

/** Names of people are for their user alone. */
function keep(file: string, names: readonly string[]): void {
  try {
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, names.map((name) => `${name}\n`).join(''), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    // Without the file, the next Tab asks the server again.
  }
}
