// The bundles of `npm run build`: their content, their size, and the files beside them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, buildProgram, buildPrograms, type Program } from '../../scripts/build.ts';
import { bundledPackages, licencesOf } from '../../scripts/licences.ts';

/** Limits a third above the sizes today: a bundle above its limit has taken in something that needs a look. */
const kibMax = {
  proxy: 4300,
  'control-plane': 3450,
  injector: 360,
  keeper: 810,
  gatewayctl: 2000,
  simulator: 510,
} as const satisfies Record<Program, number>;

let directory: string;
let bundles: readonly Bundle[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-bundles-'));
  bundles = await buildPrograms(join(directory, 'dist'));
  const sizes = bundles.map(({ program, bytes }) => `${program} ${Math.ceil(bytes / 1024)}`);
  console.log(`KiB of bundles: ${sizes.join(', ')}`);
});
afterAll(() => rmSync(directory, { recursive: true }));

const bundle = (program: string) => {
  const found = bundles.find((one) => one.program === program);
  if (found === undefined) throw new Error(`no bundle of ${program}`);
  return found;
};

it('every program has a bundle', () => {
  expect(bundles.map(({ program }) => program)).toEqual(Object.keys(kibMax));
});

describe.each(Object.entries(kibMax))('the bundle of %s', (program, max) => {
  it(`is at most ${max} KiB`, () => {
    expect(bundle(program).bytes / 1024).toBeLessThan(max);
  });

  it('has the licence of each of its packages beside it', () => {
    const text = readFileSync(join(dirname(bundle(program).main), '../licences.txt'), 'utf8');
    expect(text.match(/^\S+ \d+\.\d+\.\d+\S*: \S/gm)).toHaveLength(bundle(program).packages.length);
  });
});

it('each bundle has the packages of its own protocols and of no others', () => {
  const contains = (program: Program, name: string) => bundle(program).packages.includes(name);
  expect(['ioredis', '@grpc/grpc-js'].map((name) => contains('proxy', name))).not.toContain(false);
  expect(['pg', 'kysely', 'undici'].map((name) => contains('proxy', name))).toEqual([false, false, false]);
  expect(['pg', 'kysely'].map((name) => contains('control-plane', name))).toEqual([true, true]);
  expect(['pg', '@grpc/grpc-js', '@grpc/proto-loader'].some((name) => contains('injector', name))).toBe(false);
});

it('a proxy starts without the packages of guardrails, and a sidecar also without those of Redis and gRPC', () => {
  const { loadedWith } = bundle('proxy');
  const guardrails = ['libphonenumber-js', 're2js', 'stdnum', 'ibantools'];
  expect(guardrails.filter((name) => loadedWith('guardrails/index.ts').includes(name))).toEqual(guardrails);
  const full = loadedWith('proxy/assemble.ts');
  expect(guardrails.filter((name) => full.includes(name))).toEqual([]);
  const connections = ['ioredis', '@grpc/grpc-js'];
  expect(connections.filter((name) => full.includes(name))).toEqual(connections);
  const sidecar = loadedWith('proxy/forward/assemble.ts');
  expect([...guardrails, ...connections, 'protobufjs'].filter((name) => sidecar.includes(name))).toEqual([]);
});

it('files that a program reads at run time are beside its bundle', () => {
  const beside = (program: Program, file: string) => readFileSync(join(dirname(bundle(program).main), file), 'utf8');
  expect(JSON.parse(beside('control-plane', 'openapi.json'))).toHaveProperty('openapi');
  expect(beside('proxy', 'scripts/turn.lua')).not.toBe('');
});

it('a build that takes in files or packages of other programs fails and names them', async () => {
  const intruder = join(directory, 'intruder.ts');
  writeFileSync(intruder, "console.log('foreign');\n");
  const elsewhere = join(directory, 'foreign');
  const rules = { entries: { main: intruder }, folders: ['injector'], withoutPackages: [] };
  await expect(buildProgram('injector', elsewhere, rules)).rejects.toThrow(
    /the bundle of injector contains .*intruder\.ts/,
  );
  const logger = { entries: { main: 'common/logger.ts' }, folders: ['common'], withoutPackages: ['pino'] };
  await expect(buildProgram('injector', elsewhere, logger)).rejects.toThrow('the bundle of injector contains pino');
});

describe('the list of licences', () => {
  it('names the package of each file, scoped or nested', () => {
    const inputs = ['proxy/main.ts', 'node_modules/a/x.js', 'node_modules/a/y.js', 'node_modules/@b/c/x.js'];
    const nested = 'node_modules/@b/c/node_modules/d/lib/x.js';
    expect(bundledPackages([...inputs, nested])).toEqual(['@b/c', '@b/c/node_modules/d', 'a']);
  });

  it('fails the build for a package without a licence', () => {
    expect(() => licencesOf(directory, ['none'])).toThrow(/none/);
  });
});
