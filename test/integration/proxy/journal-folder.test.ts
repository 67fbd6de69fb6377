// The folder of journals on a real file system: the owner of each file, and whether the owner is alive.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JournalFolder, openJournalFolder } from '../../../proxy/journal/journal-folder.ts';

let directory: string;
const folders: JournalFolder[] = [];

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'gateway-journal-')), 'journal');
});
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.close().catch(() => undefined);
  rmSync(join(directory, '..'), { recursive: true });
});

const session = '019a9d5e-0000-7000-8000-000000000001';

async function open(): Promise<JournalFolder> {
  const folder = await openJournalFolder(directory);
  folders.push(folder);
  return folder;
}

const names = (end: string) => readdirSync(directory).filter((name) => name.endsWith(end));
const content = () => names('.journal').map((name) => readFileSync(join(directory, name), 'utf8'));

async function linesOf(folder: JournalFolder): Promise<string[][]> {
  const found: string[][] = [];
  for (const file of await folder.abandoned()) found.push(await Array.fromAsync(file.lines()));
  return found;
}

describe('a journal file', () => {
  it('is readable by its owner only, grows, is replaced as a whole, and is removed', async () => {
    const file = (await open()).create(session);
    file.append('one\n');
    file.append('two\n');
    expect(content()).toEqual(['one\ntwo\n']);
    expect(file.size).toBe(8);
    const [name = ''] = names('.journal');
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    file.replace('three\n');
    file.append('four\n');
    expect(content()).toEqual(['three\nfour\n']);
    expect(file.size).toBe(11);
    file.remove();
    expect(names('.journal')).toEqual([]);
  });

  it('that cannot be created is an error', async () => {
    const folder = await open();
    rmSync(directory, { recursive: true });
    expect(() => folder.create(session)).toThrow('ENOENT');
  });
});

describe('an abandoned journal', () => {
  it('is none of a live process', async () => {
    (await open()).create(session).append('one\n');
    expect(await linesOf(await open())).toEqual([]);
  });

  it('is one that an ended process left, and only one process gets it at a time', async () => {
    const gone = await open();
    gone.create(session).append('one\ntwo');
    await gone.close();
    const heir = await open();
    expect(await linesOf(heir)).toEqual([['one', 'two']]);
    expect(await linesOf(await open())).toEqual([]);
    // The file is not removed yet, so its new owner finds it again.
    expect(await linesOf(heir)).toEqual([['one', 'two']]);
    for (const file of await heir.abandoned()) file.remove();
    expect(await linesOf(heir)).toEqual([]);
  });

  it('is one that a killed process left, with its socket', async () => {
    const module = join(import.meta.dirname, '../../../proxy/journal/journal-folder.ts');
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `import { openJournalFolder } from ${JSON.stringify(module)};
       const folder = await openJournalFolder(${JSON.stringify(directory)});
       folder.create('${session}').append('left\\n');
       console.log('ready'); setInterval(() => {}, 1000);`,
    ]);
    await once(child.stdout, 'data');
    const heir = await open();
    expect(await linesOf(heir)).toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(names('.sock')).toHaveLength(2);
    expect(await linesOf(heir)).toEqual([['left']]);
    expect(names('.sock')).toHaveLength(1);
  });

  it('is neither an unfinished replacement nor a foreign file', async () => {
    const gone = await open();
    gone.create(session).append('one\n');
    const [name = ''] = names('.journal');
    writeFileSync(join(directory, `${name}.next`), 'half');
    writeFileSync(join(directory, 'README'), 'hello');
    await gone.close();
    expect(await linesOf(await open())).toEqual([['one']]);
    expect(readdirSync(directory).filter((each) => each.endsWith('.next'))).toEqual([]);
    expect(readdirSync(directory)).toContain('README');
  });
});

describe('an unusable journal folder', () => {
  it('is reported with its setting', async () => {
    writeFileSync(directory, 'a file');
    await expect(openJournalFolder(directory)).rejects.toThrow('GATEWAY_JOURNAL_DIR');
  });

  it('may have a name that is too long for a socket', async () => {
    await expect(openJournalFolder(join(directory, 'x'.repeat(120)))).rejects.toThrow('too long');
  });
});
