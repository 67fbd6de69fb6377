// `npm run keycloak-check`: signs people in to the console at a really started Keycloak, in Chromium, and signs them out.
// Not part of npm test: it needs Java 17, Maven and unzip, and the first run fetches Keycloak from Maven Central into a
// folder of its own. Takes some two minutes after that, of which one is a wait for a token to expire.
//   --folder <folder>  for Keycloak (default: gateway-keycloak-check in the folder for temporary files)
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checks } from './keycloak-check/checks.ts';
import { installKeycloak, whatIsMissing } from './keycloak-check/install.ts';
import { startKeycloak } from './keycloak-check/keycloak.ts';
import { type Scene, startScene } from './keycloak-check/scene.ts';

const { values } = parseArgs({
  options: { folder: { type: 'string', default: join(tmpdir(), 'gateway-keycloak-check') } },
});

const missing = whatIsMissing();
if (missing.length > 0) {
  console.error(`keycloak-check cannot run here:\n${missing.map((one) => `  ${one}`).join('\n')}`);
  process.exitCode = 1;
} else {
  process.exitCode = await check(await installKeycloak(values.folder));
}

/** @returns the exit code */
async function check(home: string): Promise<number> {
  const began = performance.now();
  const keycloak = await startKeycloak(home);
  console.log(`Keycloak responds after ${((performance.now() - began) / 1000).toFixed(0)} s`);
  try {
    const scene = await startScene(keycloak);
    try {
      return await runChecks(scene);
    } finally {
      await scene.close();
    }
  } finally {
    await keycloak.close();
  }
}

/** Later checks need the results of earlier ones, so the first failure is the last. */
async function runChecks(scene: Scene): Promise<number> {
  for (const [index, { name, run }] of checks.entries()) {
    try {
      await run(scene);
      console.log(`passed: ${name}`);
    } catch (error) {
      console.error(`FAILED: ${name}\n  ${error instanceof Error ? error.message : String(error)}`);
      console.log(`${index} of ${checks.length} checks passed`);
      return 1;
    }
  }
  console.log(`${checks.length} of ${checks.length} checks passed`);
  return 0;
}
