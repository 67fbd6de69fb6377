// Policies over every object of every overlay. Each policy is also shown to work: the whole installation, changed to
// break it, is reported.
import { describe, expect, test } from 'vitest';
import { renderingNames } from '../../scripts/render.ts';
import { linkPolicies } from '../support/manifests/link-policies.ts';
import { networkPolicies } from '../support/manifests/network-policies.ts';
import { objectsOf } from '../support/manifests/objects.ts';
import { podPolicies } from '../support/manifests/pod-policies.ts';
import { settingPolicies } from '../support/manifests/setting-policies.ts';

const policies = [...podPolicies, ...linkPolicies, ...networkPolicies, ...settingPolicies];

describe.each(policies)('the policy “$name”', ({ problems, breach }) => {
  test.each(renderingNames)('is kept in %s', (rendering) => {
    expect(problems(objectsOf(rendering))).toEqual([]);
  });

  test('reports an installation that breaks it', () => {
    const objects = objectsOf('sidecar');
    breach(objects);
    expect(problems(objects)).not.toEqual([]);
  });
});
