// What keys, limits and guardrails can belong to, for fields of forms.
import { useCaller, useMay } from '../../api/caller.tsx';
import { useAll, useRead, wholeListMax } from '../../api/queries.ts';
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

export function useKeys(enabled = true): readonly Option[] {
  const { organizationId } = useCaller();
  const keys = useAll('VirtualKeys.List', { organizationId }, (page) => page.virtualKeys, { enabled });
  return keys.map(({ id, name, hint }) => ({ id, name: `${name} (…${hint})` }));
}

/** Whether the keys of `useKeys` are not there yet. */
export function useKeysLoading(): boolean {
  const { organizationId } = useCaller();
  return useRead('VirtualKeys.List', { organizationId, pageSize: wholeListMax }).isLoading;
}

/** Provider keys of the organization; none for roles that may not list them. */
export function useProviderKeys(enabled = true): readonly Option[] {
  const { organizationId } = useCaller();
  const may = useMay();
  const keys = useAll('ProviderKeys.List', { organizationId }, (page) => page.providerKeys, {
    enabled: enabled && organizationId !== '' && may('ProviderKeys.List'),
  });
  return keys.map(({ id, provider, name }) => ({ id, name: `${provider}: ${name}` }));
}

export type HolderKind = 'organization' | 'ai-system' | 'person' | 'virtual-key' | 'provider-key';

/** A holder as one value of a field, `<kind> <id>`, and back. */
export function holderOf(value: string): { readonly kind: HolderKind; readonly id: string } {
  const [kind = '', id = ''] = value.split(' ');
  if (kind === 'ai-system' || kind === 'person' || kind === 'virtual-key' || kind === 'provider-key')
    return { kind, id };
  return { kind: 'organization', id };
}

/** What a key may belong to; of any other kind: the organization. */
export function keyScopeKind(kind: HolderKind): 'ai-system' | 'person' | 'organization' {
  return kind === 'ai-system' || kind === 'person' ? kind : 'organization';
}

/** @param kinds in addition to the organization */
export function useHolders(kinds: readonly Exclude<HolderKind, 'organization'>[]): readonly Option[] {
  const { organizationId } = useCaller();
  const systems = useAiSystems();
  const people = usePeople();
  const keys = useKeys(kinds.includes('virtual-key'));
  const providerKeys = useProviderKeys(kinds.includes('provider-key'));
  const named = (kind: string, title: string, options: readonly Option[]) =>
    options.map(({ id, name }) => ({ id: `${kind} ${id}`, name: `${title}: ${name}` }));
  return [
    { id: `organization ${organizationId}`, name: 'The whole organization' },
    ...(kinds.includes('ai-system') ? named('ai-system', 'AI system', systems) : []),
    ...(kinds.includes('person') ? named('person', 'Person', people) : []),
    ...(kinds.includes('virtual-key') ? named('virtual-key', 'Key', keys) : []),
    ...(kinds.includes('provider-key') ? named('provider-key', 'Provider key', providerKeys) : []),
  ];
}
