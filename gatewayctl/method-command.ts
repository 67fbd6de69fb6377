// Runs a command that is one method of the contract: converts names to ids and the input to a request, asks for
// confirmation of what cannot be undone, and prints the response.
import { fieldsOf, isOptional, methodTypes } from '../proto/json/contract.ts';
import type { Done, Given, GivenValue, Invocation, MethodCommand, Request } from './command.ts';
import { printDryRun } from './dry-run.ts';
import { exitCodes, Failure, usageMistake } from './failure.ts';
import { followList } from './follow.ts';
import { readGiven } from './io.ts';
import { callerOf, idOf } from './names.ts';
import { noOrganization, organizationIfAny, organizationInUse } from './organization.ts';
import { isList, readPages } from './pages.ts';
import { printList, printResponse } from './print-response.ts';
import { checkRequest, fieldAt, getField, requestFromJson, setField, valueFor } from './request.ts';
import { requireToken } from './session.ts';
import { printable } from './table.ts';

const listedDefault = 1000;

/** @returns the exit code, if it is not 0. @throws Failure, CallFailure */
export async function runMethod(command: MethodCommand, invocation: Invocation): Promise<Done> {
  requireToken(await invocation.session());
  const instead = command.instead?.(invocation);
  if (instead !== undefined) return await instead();
  const checked = await requestOf(command, invocation);
  if (invocation.options.dryRun === true) return await printDryRun(command.method, checked, invocation);
  await confirm(command, invocation);
  const client = await invocation.client();
  if (command.follow !== undefined && invocation.given.has(command.follow.given))
    return await followList({ command, follow: command.follow, request: checked }, client, invocation);
  if (isList(command.method)) {
    const pages = await readPages(client, command.method, checked, listedMax(invocation));
    return await printList(command, pages, invocation);
  }
  const response = await client.ask(command.method, checked);
  await printResponse(command, response, invocation);
  return command.failed?.(response) === true ? exitCodes.refused.code : undefined;
}

/** The request of a command line, with names as ids. @throws Failure, CallFailure */
export async function requestOf(command: MethodCommand, invocation: Invocation): Promise<object> {
  const { requestType } = methodTypes(command.method);
  if (command.secret !== undefined && invocation.options.form === 'name')
    throw usageMistake('-o name would lose the value that is shown only this once; choose another form');
  const organizationId = once(() => organizationOf(command, invocation));
  let request = await requestOfFile(command, requestType, invocation);
  const changes = Object.keys(request).length + invocation.given.size;
  if (/\.Update/.test(command.method) && changes <= (command.arguments?.length ?? 0))
    throw usageMistake('nothing would change: give an option for each change');
  for (const [given, value] of invocation.given) {
    if (given.field !== undefined) await fill(request, given, { value, requestType, invocation, organizationId });
  }
  await fillOrganization(command, request, { invocation, organizationId });
  request = (await command.complete?.(request, invocation)) ?? request;
  const givens = [...(command.arguments ?? []), ...(command.options ?? [])];
  return checkRequest(requestType, request, givens);
}

export interface ValueContext {
  readonly value: GivenValue;
  readonly requestType: string;
  readonly invocation: Invocation;
  readonly organizationId: () => Promise<string | undefined>;
}

async function fill(request: Request, given: Given, context: ValueContext): Promise<void> {
  const path = given.field ?? '';
  const other = [...context.invocation.given.keys()].find((one) => one !== given && one.field === path);
  if (other !== undefined) throw usageMistake(`${flag(given)} excludes ${flag(other)}; keep one of them`);
  await writeValue(request, given, context);
}

/** Writes a value to its path in the request, names as ids. @throws Failure, CallFailure */
export async function writeValue(
  request: Request,
  given: Given,
  { value, requestType, invocation, organizationId }: ValueContext,
): Promise<void> {
  const path = given.field ?? '';
  let fitting = valueFor(given, fieldAt(requestType, path), value);
  if (given.noun !== undefined) {
    const { noun } = given;
    const client = await invocation.client();
    const find = (text: string) => idOf(noun, text, client, organizationId);
    fitting = Array.isArray(fitting)
      ? await Promise.all(fitting.map((text) => find(String(text))))
      : await find(String(fitting));
  }
  setFields(request, { [path]: fitting, ...given.beside });
}

async function requestOfFile(
  { file: allowed }: MethodCommand,
  requestType: string,
  { options, io }: Invocation,
): Promise<Request> {
  const { file } = options;
  if (file === undefined || allowed !== true) return {};
  return requestFromJson(requestType, await readGiven(file, io), file);
}

/** If the request has no organization, none is requested, but names may still need one. */
async function organizationOf(command: MethodCommand, invocation: Invocation): Promise<string | undefined> {
  if (isForPlatform(command, invocation)) return undefined;
  const { requestType } = methodTypes(command.method);
  const { organizationId } = fieldsOf(requestType);
  if (organizationId !== undefined && !isOptional(requestType, 'organizationId'))
    return await organizationInUse(invocation);
  return await organizationIfAny(invocation);
}

function isForPlatform({ organization }: Pick<MethodCommand, 'organization'>, { options }: Invocation): boolean {
  return organization === 'or platform' && options.platform === true;
}

interface Filling {
  readonly invocation: Invocation;
  readonly organizationId: () => Promise<string | undefined>;
}

async function fillOrganization(
  { method, organization, otherwise }: MethodCommand,
  request: Request,
  { invocation, organizationId }: Filling,
): Promise<void> {
  const { requestType } = methodTypes(method);
  if (
    Object.hasOwn(fieldsOf(requestType), 'organizationId') &&
    organization !== 'own' &&
    request.organizationId === undefined
  ) {
    const id = await organizationId();
    if (id !== undefined) request.organizationId = id;
  }
  const path = otherwise?.field;
  if (isForPlatform({ ...(organization && { organization }) }, invocation)) return;
  if (path === undefined || getField(request, path) !== undefined) return;
  const caller = otherwise?.ofMember && (await callerOf(await invocation.client()));
  if (caller?.role === 'ROLE_MEMBER') return setFields(request, { [path]: caller.personId, ...otherwise?.ofMember });
  const id = await organizationId();
  if (id === undefined) throw noOrganization();
  setFields(request, { [path]: id, ...otherwise?.beside });
}

function setFields(request: Request, values: Readonly<Record<string, unknown>>): void {
  for (const [path, value] of Object.entries(values)) setField(request, path, value);
}

function listedMax({ options }: Invocation): number {
  if (options.all === true) return Number.POSITIVE_INFINITY;
  if (options.limit === undefined) return listedDefault;
  const limit = Number(options.limit);
  if (!/^\d{1,9}$/.test(options.limit) || limit === 0) throw usageMistake('--limit must be a whole number from 1');
  return limit;
}

function flag({ flags }: Given): string {
  return flags.replace(/ .*$/, '');
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Asks for confirmation on a terminal before an action that cannot be undone; without a terminal, --yes is required.
 * @throws Failure unless it is confirmed
 */
async function confirm({ prompt }: Pick<MethodCommand, 'prompt'>, invocation: Invocation): Promise<void> {
  if (prompt === undefined) return;
  const texts = new Map(
    [...invocation.given].map(([{ flags }, value]) => [flags.replace(/[<>[\]]/g, ''), String(value)]),
  );
  const question = prompt.replace(/\{([^}]+)\}/g, (_all, name: string) => printable(texts.get(name) ?? 'it'));
  await confirmed(question, invocation);
}

/** @throws Failure unless --yes was given, or the person at the terminal agrees */
export async function confirmed(question: string, { io, options }: Invocation): Promise<void> {
  if (options.yes === true) return;
  if (!io.interactive) throw usageMistake(`this cannot be undone, so it needs --yes: ${question}`);
  const response = await io.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(response.trim())) throw new Failure('refused', 'not confirmed; nothing was done');
}
