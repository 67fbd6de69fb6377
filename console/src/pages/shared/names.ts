// What keys, limits and guardrails can belong to, for fields of forms.
import { useCaller, useMay } from '../../api/caller.tsx';
import { useAll } from '../../api/queries.ts';
import type { Option } from '../../ui/fields.tsx';

/** AI systems of the organization; none for roles that may not list them. */
export function useAiSystems(): readonly Option[] {
  const { organizationId } = useCaller();
  const may = useMay();
  return useAll('AiSystems.List', { organizationId }, (page) => page.aiSystems, {
    enabled: organizationId !== '' && may('AiSystems.List'),
  });
}

/** People of the organization; none for roles that may not list them. */
export function usePeople(): readonly Option[] {
  const { organizationId } = useCaller();
  const may = useMay();
  return useAll('People.List', { organizationId }, (page) => page.people, {
    enabled: organizationId !== '' && may('People.List'),
  });
}

export function useKeys(): readonly Option[] {
  const { organizationId } = useCaller();
  const keys = useAll('VirtualKeys.List', { organizationId }, (page) => page.virtualKeys);
  return keys.map(({ id, name, hint }) => ({ id, name: `${name} (…${hint})` }));
}

export type HolderKind = 'organization' | 'ai-system' | 'person' | 'virtual-key';

/** A holder as one value of a field, `<kind> <id>`, and back. */
export function holderOf(value: string): { readonly kind: HolderKind; readonly id: string } {
  const [kind = '', id = ''] = value.split(' ');
  if (kind === 'ai-system' || kind === 'person' || kind === 'virtual-key') return { kind, id };
  return { kind: 'organization', id };
}

/** @param kinds in addition to the organization */
export function useHolders(kinds: readonly ('ai-system' | 'person' | 'virtual-key')[]): readonly Option[] {
  const { organizationId } = useCaller();
  const systems = useAiSystems();
  const people = usePeople();
  const keys = useKeys();
  const named = (kind: string, title: string, options: readonly Option[]) =>
    options.map(({ id, name }) => ({ id: `${kind} ${id}`, name: `${title}: ${name}` }));
  return [
    { id: `organization ${organizationId}`, name: 'The whole organization' },
    ...(kinds.includes('ai-system') ? named('ai-system', 'AI system', systems) : []),
    ...(kinds.includes('person') ? named('person', 'Person', people) : []),
    ...(kinds.includes('virtual-key') ? named('virtual-key', 'Key', keys) : []),
  ];
}
