// The attributes of users and groups, as RFC 7643 describes them: one table for readers, PATCH, filters and the document
// of schemas. Personal data that the gateway has no use for is accepted and not stored.
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference';
  readonly about: string;
  readonly multiValued?: true;
  readonly required?: true;
  /** It always has a value, also if a request sets none. */
  readonly always?: true;
  /** Only the control plane sets it; what a request has is ignored. */
  readonly readOnly?: true;
  /** Whether letters of another case are another value. */
  readonly caseExact?: true;
  readonly unique?: true;
  readonly immutable?: true;
  readonly sub?: readonly Attribute[];
}

export interface ResourceSchema {
  readonly id: string;
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly about: string;
  readonly attributes: readonly Attribute[];
  /** Standard names, in lower case, that are accepted and not stored. */
  readonly ignored: ReadonlySet<string>;
}

const text = (name: string, about: string): Attribute => ({ name, type: 'string', about });

export const userSchema: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  endpoint: '/Users',
  about: 'A person of the organization',
  attributes: [
    { ...text('userName', 'The name at the issuer, unique without regard to case'), required: true, unique: true },
    {
      ...{ name: 'name', type: 'complex', about: 'The parts of the name' },
      sub: [
        text('formatted', 'The full name'),
        text('familyName', 'The family name'),
        text('givenName', 'The given name'),
      ],
    },
    text('displayName', 'The name as it is shown'),
    {
      ...{ name: 'emails', type: 'complex', about: 'E-mail addresses', multiValued: true },
      sub: [
        text('value', 'The address'),
        text('display', 'The address as it is shown'),
        text('type', 'For example work'),
        { name: 'primary', type: 'boolean', about: 'Whether it is the preferred one' },
      ],
    },
    { name: 'active', type: 'boolean', about: 'False: sessions end, and the keys of the person stop', always: true },
  ],
  ignored: new Set(
    [
      ...['nickName', 'profileUrl', 'title', 'userType', 'preferredLanguage', 'locale', 'timezone', 'password'],
      ...['phoneNumbers', 'ims', 'photos', 'addresses', 'groups', 'entitlements', 'roles', 'x509Certificates'],
    ].map((name) => name.toLowerCase()),
  ),
};

export const groupSchema: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  endpoint: '/Groups',
  about: 'A group, which may give its members a role by the claim `groups` of the issuer',
  attributes: [
    { ...text('displayName', 'Its name; a value of the claim `groups`'), required: true },
    {
      ...{ name: 'members', type: 'complex', about: 'Users of the same issuer', multiValued: true },
      sub: [
        { ...text('value', 'The id of the user'), immutable: true, caseExact: true },
        { name: '$ref', type: 'reference', about: 'The URL of the user', immutable: true, caseExact: true },
      ],
    },
  ],
  ignored: new Set(),
};

/** Common to all resources, and in no document of a schema. */
export const externalId: Attribute = { ...text('externalId', 'The id at the issuer'), caseExact: true };

/** The attribute with this name, whatever its case; an own property of nothing. */
export function attributeNamed(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const wanted = name.toLowerCase();
  return attributes.find((one) => one.name.toLowerCase() === wanted);
}

/** The attributes that a request may set. */
export function writable({ attributes }: ResourceSchema): readonly Attribute[] {
  return [...attributes, externalId];
}

const extension = 'urn:ietf:params:scim:schemas:extension:';

/** Whether a name is a standard's, or a part of an extension, and only not stored. */
export function isIgnored({ ignored }: ResourceSchema, name: string): boolean {
  const lower = name.toLowerCase();
  return ignored.has(lower) || lower.startsWith(extension);
}

export const pageMax = 200;
/** Members make groups large. */
export const groupPageMax = 50;

const configSchema = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const off = { supported: false } as const;

export function serviceProviderConfig(base: string): object {
  return {
    schemas: [configSchema],
    patch: { supported: true },
    bulk: { ...off, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: pageMax },
    ...{ changePassword: off, sort: off, etag: { supported: true } },
    authenticationSchemes: [
      {
        ...{ type: 'oauthbearertoken', name: 'Bearer token', primary: true },
        description: 'A token of the issuer: gatewayctl scim-tokens create',
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

export function resourceType({ id, name, endpoint, about }: ResourceSchema, base: string): object {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...{ id: name, name, endpoint, description: about, schema: id },
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  };
}

export function schemaDocument({ id, name, about, attributes }: ResourceSchema, base: string): object {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...{ id, name, description: about, attributes: attributes.map(attributeDocument) },
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

function attributeDocument(attribute: Attribute): object {
  const { name, type, about, sub } = attribute;
  return {
    ...{ name, type, description: about, multiValued: attribute.multiValued === true },
    required: attribute.required === true || attribute.always === true,
    ...(type !== 'complex' && { caseExact: attribute.caseExact === true }),
    mutability: attribute.readOnly ? 'readOnly' : attribute.immutable ? 'immutable' : 'readWrite',
    returned: 'default',
    uniqueness: attribute.unique ? 'server' : 'none',
    ...(type === 'reference' && { referenceTypes: ['User'] }),
    ...(sub !== undefined && { subAttributes: sub.map(attributeDocument) }),
  };
}
