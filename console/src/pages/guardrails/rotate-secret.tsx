// A new secret for a webhook of a guardrail, shown once.
import { useState } from 'react';
import type { Guardrail } from '../../../generated/contract.ts';
import { useChange } from '../../api/queries.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';

export function RotateSecret({ guardrail, onClose }: { readonly guardrail: Guardrail; readonly onClose: () => void }) {
  const rotate = useChange('Guardrails.RotateSecret');
  const [secret, setSecret] = useState<string>();
  const submit = async () => {
    const rotated = await rotate.run({ id: guardrail.id });
    if (rotated !== undefined) setSecret(rotated.secret);
  };
  if (secret !== undefined) return <WebhookSecret value={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate the secret of ${guardrail.name}?`}
      submit="Rotate secret"
      look="danger"
      isPending={rotate.isPending}
      error={rotate.error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>
        Requests to the service are signed with the new secret alone, within seconds. Until the service has it, its
        checks fail.
      </p>
    </FormDialog>
  );
}

export function WebhookSecret({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  return <SecretDialog title="Secret of the webhook" name="webhook secret" value={value} onClose={onClose} />;
}
