// Invitations of people who sign in at an issuer for the first time.
import type { Resource } from '../command.ts';

export const invitations: Resource = {
  name: 'invitations',
  about: 'links by which people sign in at an issuer for the first time, with a role that you give',
  commands: {
    create: {
      method: 'Invitations.Create',
      about: 'invite somebody and print the value for the link <console>#invitation=<value>',
      arguments: [{ flags: '<email>', about: 'the address that they have at the issuer', field: 'email' }],
      options: [
        {
          flags: '--role <role>',
          about: 'owner, admin or member; platform-operator with --platform',
          field: 'role',
          required: true,
        },
      ],
      secret: 'value',
      organization: 'or platform',
      examples: [
        'invitations create mo@example.com --role member',
        'invitations create ops@example.com --role platform-operator --platform',
      ],
    },
    list: {
      method: 'Invitations.List',
      about: 'list open invitations',
      organization: 'or platform',
      columns: { EMAIL: 'email', ID: 'id', ROLE: 'role', CREATED: 'createdAt', ENDS: 'endsAt' },
      examples: ['invitations list'],
    },
    delete: {
      method: 'Invitations.Delete',
      about: 'withdraw an invitation',
      arguments: [{ flags: '<id>', about: 'its id', field: 'id' }],
      prompt: 'Withdraw the invitation {id}? Its link stops working.',
      done: 'deleted',
      examples: ['invitations delete 01890000-0000-7000-8000-000000000000 --yes'],
    },
  },
};
