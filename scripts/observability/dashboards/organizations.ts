// Organizations on dashboards: the choice, by name, and series with names beside ids.
import type { Choice } from '../dashboard.ts';

/** The control plane has the names; without its scrape, all organizations are shown by their ids. */
export const organizationChoice: Choice = {
  name: 'organization',
  metric: 'gateway_control_plane_organization_info',
  label: 'organization_id',
  text: 'name',
};

export const ofOrganization = 'organization_id=~"$organization"';

/** @param expr with the label organization_id alone. @returns the same series with the label name, where there is one */
export function withNames(expr: string): string {
  // One name for each, also while replicas have read an old and a new one.
  const names = 'topk by (organization_id) (1, gateway_control_plane_organization_info)';
  return `${expr} * on (organization_id) group_left (name) ${names} or on (organization_id) ${expr}`;
}

export const organizationLegend = '{{name}} {{organization_id}}';
