// The rows of all commands, compared with the contract, the parser and each other.
import { describe, expect, it } from 'vitest';
import { methodNamed, methods } from '../../../control-plane/api/methods.ts';
import type { Command, MethodCommand } from '../../../gatewayctl/command.ts';
import { tree } from '../../../gatewayctl/commands/index.ts';
import { isList } from '../../../gatewayctl/pages.ts';
import { optionsOf, ParserEnd, parseCommandLine } from '../../../gatewayctl/program.ts';
import { fieldAt } from '../../../gatewayctl/request.ts';
import { fieldsOf, methodTypes } from '../../../proto/json/contract.ts';
import { words } from '../../support/gatewayctl.ts';

const commands: readonly (readonly [string, Command])[] = [
  ...tree.resources.flatMap(({ name, commands: own }) =>
    Object.entries(own).map(([command, row]) => [`${name} ${command}`, row] as const),
  ),
  ...Object.entries(tree.commands),
];

/** Methods behind commands that have code of their own. */
const called: Readonly<Record<string, string>> = {
  'OperatorTokens.Bootstrap': 'bootstrap',
  'Tokens.Exchange': 'service-accounts token',
  'Usage.Export': 'usage export',
  'Audit.Verify': 'audit verify',
  'Reconciliation.ImportBill': 'reconcile import',
};

async function parse(args: readonly string[], within = tree) {
  const printed: string[] = [];
  const output = {
    out: (text: string) => void printed.push(text),
    err: (text: string) => void printed.push(text),
  };
  try {
    return { parsed: await parseCommandLine(args, within, output), output: printed.join('') };
  } catch (error) {
    if (!(error instanceof ParserEnd)) throw error;
    return { mistake: error.isMistake, output: printed.join('') };
  }
}

describe('the contract', () => {
  const operators = Object.entries(methods).flatMap(([service, table]) =>
    Object.entries(table)
      .filter(([, row]) => row.audience !== 'proxy')
      .map(([name]) => `${service}.${name}`),
  );

  it.each(operators)('%s has a command', (method) => {
    const own = commands.find(([, row]) => 'method' in row && row.method === method)?.[0] ?? called[method];
    expect(commands.map(([name]) => name)).toContain(own);
  });

  it.each(commands.flatMap(([name, row]) => ('method' in row ? [[name, row] as const] : [])))(
    'has --dry-run for %s exactly if it does more than read',
    (_name, row) => {
      const method = methodNamed(row.method);
      // It may wait for rows, so it is no plain read.
      const waits = row.method === 'Requests.List';
      const isRead = waits || (method.audience === 'operator' && method.effect === 'read');
      expect(optionsOf(row).some(({ flags }) => flags === '--dry-run')).toBe(!isRead);
    },
  );

  it('has no proxy-only method among the commands', () => {
    const known = new Set(operators);
    expect(commands.filter(([, row]) => 'method' in row && !known.has(row.method))).toEqual([]);
  });
});

describe.each(commands)('gatewayctl %s', (name, command) => {
  /** Only the command's resource: a parser of all commands takes long, and the examples are parsed by one. */
  const own = { ...tree, resources: tree.resources.filter((resource) => resource.name === name.split(' ')[0]) };

  it('explains itself with --help, with examples', async () => {
    const { mistake, output: printed } = await parse([...name.split(' '), '--help'], own);
    expect(mistake).toBe(false);
    expect(printed).toContain(command.about.split(' ').slice(0, 3).join(' '));
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) expect(printed).toContain(`gatewayctl ${example}`);
  });

  it('has only examples that parse as this command', async () => {
    for (const example of command.examples) {
      const { parsed, output: printed } = await parse(words(example));
      expect(parsed?.command, `${example}: ${printed}`).toBe(command);
    }
  });

  it('refuses an unknown option, and an argument too many', async () => {
    const [example = ''] = command.examples;
    expect((await parse([...words(example), '--no-such-option'], own)).mistake).toBe(true);
    expect((await parse([...words(example), 'one', 'two', 'three', 'four'], own)).mistake).toBe(true);
  });

  it('uses only fields and columns of the contract', () => {
    if (!('method' in command)) return expect(command.run).toBeTypeOf('function');
    const { requestType, responseType } = methodTypes(command.method);
    for (const { field, beside } of [...(command.arguments ?? []), ...(command.options ?? [])])
      for (const path of [field ?? '', ...Object.keys(beside ?? {})].filter(Boolean))
        expect(fieldAt(requestType, path)).toBeDefined();
    if (command.secret !== undefined) expect(fieldAt(responseType, command.secret).type).toBe('string');
    if (!isTable(command)) return;
    const item = Object.values(fieldsOf(responseType)).find(({ rule }) => rule === 'repeated')?.type ?? '';
    expect(Object.keys(command.columns ?? {}).length).toBeGreaterThan(1);
    for (const path of Object.values(command.columns ?? {})) expect(fieldAt(item, path.replace('?', ''))).toBeDefined();
  });

  it('prompts before it deletes, revokes, suspends, releases, rotates, or records money', () => {
    const isGrave =
      /delete|revoke|suspend|release|rotate|budgets reset|captures disable|reconcile (forget|settle|undo)/.test(name);
    expect('prompt' in command && command.prompt !== undefined).toBe(isGrave);
  });
});

describe('a command line', () => {
  it.each([
    [['kyes', 'list'], 'Did you mean keys?'],
    [['keys', 'lsit'], 'Did you mean list?'],
    [['keys', 'list', '--jsno'], 'Did you mean --json?'],
    [['logn'], 'Did you mean login?'],
  ])('%j is refused with a suggestion', async (args, suggestion) => {
    const { mistake, output: printed } = await parse(args);
    expect(mistake).toBe(true);
    expect(printed).toContain(suggestion);
  });

  it.each([[[]], [['keys']]])('%j alone prints the usage, and is a mistake', async (args) => {
    const { mistake, output: printed } = await parse(args);
    expect(mistake).toBe(true);
    expect(printed).toContain('Usage: gatewayctl');
  });

  it.each([
    [['help'], 'Resources:'],
    [['help', 'keys'], 'Usage: gatewayctl keys'],
    [['help', 'orgs'], 'Usage: gatewayctl organizations'],
    [['help', 'keys', 'create'], '--metadata <name=value>'],
    [['help', 'doctor'], 'Usage: gatewayctl doctor'],
    [['keys', 'help'], 'Usage: gatewayctl keys'],
    [['orgs', 'help', 'create'], 'Usage: gatewayctl organizations create'],
    [['doctor', 'help'], 'Usage: gatewayctl doctor'],
    [['help', 'help'], 'exit-codes'],
  ])('%j prints the same as --help', async (args, printed) => {
    expect(await parse(args)).toEqual({ mistake: false, output: expect.stringContaining(printed) });
  });

  it.each([
    [['help', 'kyes'], 'Allowed choices are exit-codes, environment'],
    [['help', 'keys', 'craete'], 'Did you mean create?'],
  ])('%j is a mistake, because there is nothing to explain', async (args, printed) => {
    expect(await parse(args)).toEqual({ mistake: true, output: expect.stringContaining(printed) });
  });

  it('accepts common options before and after the command', async () => {
    for (const args of [
      ['--json', '-o', 'acme', 'keys', 'list'],
      ['keys', 'list', '-o', 'acme', '--json'],
    ]) {
      expect((await parse(args)).parsed?.options).toMatchObject({ json: true, organization: 'acme' });
    }
  });

  it('takes "help" after a command with arguments as one of them', async () => {
    const { parsed } = await parse(['keys', 'get', 'help']);
    expect([...(parsed?.given.values() ?? [])]).toEqual(['help']);
  });

  it('prints the form that -o names, and refuses contradictions', async () => {
    expect((await parse(['keys', 'list', '-o', 'yaml'])).parsed?.options).toMatchObject({ form: 'yaml', json: true });
    expect((await parse(['keys', 'list'])).parsed?.options).toMatchObject({ form: 'table', json: false });
    const { mistake, output: printed } = await parse(['keys', 'list', '-o', 'csv', '--json']);
    expect([mistake, printed]).toEqual([true, expect.stringContaining('--json excludes -o csv')]);
  });

  it('refuses a value outside a fixed set, with the values that help shows', async () => {
    const { output: printed } = await parse(['people', 'create', 'Ada', '--role', 'ROLE_ADMIN']);
    expect(printed).toContain('Allowed choices are owner, admin, member, platform-operator.');
    expect((await parse(['usage', 'totals', '--by', 'day,modle'])).output).toContain('Allowed choices are');
    expect((await parse(['people', 'update', 'Ada', '--active', 'yes'])).output).toContain('true, false');
  });
});

/** A list without pages may be shown as a table too. */
function isTable({ columns, method }: MethodCommand): boolean {
  return isList(method) || columns !== undefined;
}
