// Fetches Keycloak from Maven Central, once, into a folder of its own, pinned by version and checksum. This repository
// contains nothing of Keycloak.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findProgram } from '../../test/support/containers.ts';

const version = '26.7.3';
const sha256 = '27a6535553c3cdcd083872ba40629efafb3475e3b758e0c6f691395561dd0f1f';
const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:2.8';

/** What this machine lacks, as lines for a reader. */
export function whatIsMissing(): readonly string[] {
  const programs = { java: 'openjdk-17-jre-headless', mvn: 'maven', unzip: 'unzip', chromium: 'chromium' };
  const missing = Object.entries(programs).filter(([name]) => findProgram(name) === undefined);
  return missing.map(([name, from]) => `${name} is not on the PATH: apt-get install ${from}`);
}

/** @returns the folder of Keycloak, with its in-memory database built in @throws Error if a program fails, or the checksum differs */
export async function installKeycloak(folder: string): Promise<string> {
  const home = join(folder, `keycloak-${version}`);
  const installed = join(home, 'installed');
  if (existsSync(installed)) return home;
  console.log(`Keycloak ${version} is fetched into ${folder} (once; some 180 MB) …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = join(folder, 'maven');
  const flags = ['-q', '-B', `-Dmaven.repo.local=${packages}`, `-Dartifact=${artifact}`, '-Dtransitive=false'];
  run('mvn', [...flags, `${plugin}:get`]);
  const name = `keycloak-quarkus-dist-${version}.zip`;
  const file = join(packages, 'org/keycloak/keycloak-quarkus-dist', version, name);
  const found = await sha256Of(file);
  if (found !== sha256) throw new Error(`${name} has the SHA-256 ${found} in place of ${sha256}`);
  run('unzip', ['-q', file, '-d', folder]);
  rmSync(packages, { recursive: true });
  console.log('Keycloak is built for its database (once) …');
  run('java', [...javaArgs(home), 'build', '--db=dev-mem']);
  writeFileSync(installed, '');
  return home;
}

/** Arguments that start Keycloak in this JVM, so that no shell is between it and its end. */
export function javaArgs(home: string): readonly string[] {
  const pool = 'io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory';
  return [
    ...['-Xmx512m', `-Djava.util.concurrent.ForkJoinPool.common.threadFactory=${pool}`],
    ...[`-Dkc.home.dir=${home}`, `-Djboss.server.config.dir=${join(home, 'conf')}`],
    ...['-Djava.util.logging.manager=org.jboss.logmanager.LogManager', '-Dpicocli.disable.closures=true'],
    ...['-cp', join(home, 'lib/quarkus-run.jar'), 'io.quarkus.bootstrap.runner.QuarkusEntryPoint'],
  ];
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** @throws Error if the program fails */
function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${program} ended with ${status}`, { cause: error });
}
