// The cases of chat requests: bodies of several sizes, translations, and streams.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CannedVendor, canned } from './canned.ts';
import { chatBody, measureWarm } from './load.ts';
import { inPasses } from './passes.ts';
import type { CaseResult } from './report.ts';
import { putUnderStreams, streams } from './streaming.ts';
import type { SubjectStarter } from './subjects.ts';

export interface ChatCase {
  readonly name: string;
  readonly vendor: CannedVendor;
  readonly bodyBytes: number;
  readonly connections: number;
}

export interface ChatOptions {
  readonly core: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** For the body of the requests. */
  readonly directory: string;
}

const kib = 1024;

export const passedCases: readonly ChatCase[] = [
  [1, 32],
  [1, 256],
  [16, 32],
  [256, 32],
].map(([size = 1, connections = 32]) => ({
  name: `chat, body ${size} KiB, ${connections} connections`,
  vendor: 'gpt-provider' as const,
  bodyBytes: size * kib,
  connections,
}));

export const translatedCases: readonly ChatCase[] = (
  ['assistant-provider', 'search-provider', 'managed-cloud-models'] as const
).map((vendor) => ({
  name: `chat translated for ${vendor}, body 1 KiB, 32 connections`,
  vendor,
  bodyBytes: kib,
  connections: 32,
}));

export async function measureChat(
  one: ChatCase,
  subjects: readonly SubjectStarter[],
  { core, seconds, warmUpSeconds, directory }: ChatOptions,
): Promise<CaseResult> {
  const body = chatBody(canned[one.vendor].model, one.bodyBytes);
  const bodyFile = join(directory, 'body.json');
  writeFileSync(bodyFile, body);
  const { connections } = one;
  const load = { core, connections, bodyFile, body, seconds, warmUpSeconds };
  const measured = await inPasses(one.name, subjects, (subject) => measureWarm(subject, load));
  return { name: one.name, unit: 'requests', subjects: measured };
}

export async function measureStreaming(
  vendor: CannedVendor,
  subjects: readonly SubjectStarter[],
  { core, seconds, warmUpSeconds }: Omit<ChatOptions, 'directory'>,
): Promise<CaseResult> {
  const translated = vendor === 'gpt-provider' ? '' : ` translated for ${vendor}`;
  const name = `${streams} streams at once${translated}, a token each 5 ms`;
  const { model } = canned[vendor];
  const measured = await inPasses(name, subjects, async (subject) => {
    await putUnderStreams(subject, { core, seconds: warmUpSeconds, model });
    return putUnderStreams(subject, { core, seconds, model });
  });
  return { name, unit: 'tokens', subjects: measured };
}
