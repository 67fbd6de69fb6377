// Adds and removes an e-mail domain of an organization, for its owners and for platform operators.
import { useState } from 'react';
import type { SignInDomain } from '../../../generated/contract.ts';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { Confirm } from './confirm.tsx';

export interface AddDomainProps {
  readonly organizationId: string;
  /** Of the field. */
  readonly description: string;
  /** @param made the new domain */
  readonly onClose: (made?: SignInDomain) => void;
}

export function AddDomain({ organizationId, description, onClose }: AddDomainProps) {
  const [domain, setDomain] = useState('');
  const add = useChange('SignIn.AddDomain');
  const submit = async () => {
    const made = await add.run({ organizationId, domain: domain.trim() });
    if (made !== undefined) onClose(made);
  };
  return (
    <FormDialog
      title="Add an e-mail domain"
      submit="Add domain"
      isPending={add.isPending}
      error={add.error}
      isDisabled={domain.trim() === ''}
      onSubmit={() => void submit()}
      onClose={() => onClose()}
    >
      <TextInput label="Domain" value={domain} onChange={setDomain} isRequired autoFocus description={description} />
    </FormDialog>
  );
}

export interface RemoveDomainProps {
  readonly domain: SignInDomain;
  readonly onClose: () => void;
}

export function RemoveDomain({ domain, onClose }: RemoveDomainProps) {
  return (
    <Confirm
      title={`Remove ${domain.domain}?`}
      submit="Remove domain"
      method="SignIn.DeleteDomain"
      request={{ id: domain.id }}
      onClose={onClose}
    >
      <p>People with such an address no longer find the issuers by it.</p>
    </Confirm>
  );
}
