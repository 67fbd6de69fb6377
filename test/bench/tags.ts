// The cost of tags: one proxy, called in turn with a key of an organization that names none and with one of an
// organization that names three, whose values come in headers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canned } from './canned.ts';
import type { GatewaySubject } from './gateway.ts';
import type { GuardrailsOptions } from './guardrails.ts';
import { chatBody, checkBodies, type Measurement, pacedMs, putUnderLoad } from './load.ts';
import { inTurns, type Kind, passes } from './passes.ts';
import { spread } from './stats.ts';

const connections = 32;
const turns = 6;
const values = { feature: 'search', 'cost-center': '4711', user: 'ada' };

/** @returns the ratio of processor time of a tagged request to that of one without, as a line */
export async function measureTags(options: GuardrailsOptions): Promise<string> {
  console.error('tags: chat, body 1 KiB, three tags in headers');
  const { gateway, cores, directory } = options;
  const tagged = await gateway.createTaggedKey(Object.keys(values));
  const tags = Object.fromEntries(Object.entries(values).map(([name, value]) => [`x-svc-tag-${name}`, value]));
  const body = chatBody(canned['gpt-provider'].model, 1024);
  const bodyFile = join(directory, 'tags.json');
  writeFileSync(bodyFile, body);
  const load = { core: cores.load, connections, bodyFile, pauseMs: pacedMs };
  const kind = (name: string, headers: Readonly<Record<string, string>>): Kind<GatewaySubject, Measurement> => ({
    name,
    measure: async (subject, seconds) => {
      const called = { ...subject, headers: { ...subject.headers, ...headers } };
      const measurement = await putUnderLoad(called, { ...load, seconds });
      await checkBodies(called, body);
      return measurement;
    },
  });
  const kinds = [kind('without', {}), kind('tagged', { ...tags, authorization: `Bearer ${tagged}` })];
  const ratios: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const subject = await gateway.startProxy();
    try {
      const { without, tagged: withTags } = await inTurns(subject, kinds, { ...options, turns });
      if (without === undefined || withTags === undefined) throw new Error('one of them was not measured');
      ratios.push(withTags.cpuMicroseconds / without.cpuMicroseconds);
      console.error(`  pass ${pass + 1} of ${passes}: ${ratios.at(-1)?.toFixed(3)}`);
    } finally {
      await subject.stop();
    }
  }
  const { median, min, max } = spread(ratios);
  return `three tags: ${median.toFixed(3)} of the processor time of a request without (${min.toFixed(3)} to ${max.toFixed(3)})`;
}
