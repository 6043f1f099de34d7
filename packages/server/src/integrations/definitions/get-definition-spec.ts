import Type, { type TSchema } from 'typebox'
import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import { createDirectRead } from '../../access/auth/direct-reads.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { ref, StrictObject } from '../../platform/http/schema.ts'
import type { Database } from '../../platform/storage/database.ts'
import type { DefinitionReference } from './definition.ts'
import { type FindDefinitionDeps, findDefinition } from './find-definition.ts'
import { type DefinitionFilter, DefinitionParams, DefinitionQuery } from './schemas.ts'

export interface GetDefinitionSpecDeps extends FindDefinitionDeps {
  readonly database: Database
}

const recordOf = (schema: TSchema, description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: schema,
    description,
  })

const text = (description: string) => Type.Optional(Type.String({ description }))

const texts = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

const anything = (description: string) => Type.Optional(Type.Unknown({ description }))

const number = (description: string) => Type.Optional(Type.Number({ description }))

const boolean = (description: string) => Type.Optional(Type.Boolean({ description }))

const values = (description: string) => Type.Optional(recordOf(Type.Unknown(), description))

/** A field of a form: a JSON Schema, and what pages need. */
const SpecField = Type.Object(
  {
    type: anything('Its JSON type, or a list of types.'),
    title: text('Its label.'),
    description: text('The text below it.'),
    enum: Type.Optional(Type.Array(Type.Unknown(), { description: 'Its only values.' })),
    const: anything('Its only value.'),
    default: anything('The value that the form starts with.'),
    format: text('The format of a text, such as `uri`.'),
    pattern: text('A regular expression that a text matches.'),
    minLength: number('The minimum length of a text.'),
    maxLength: number('The maximum length of a text.'),
    minimum: number('The minimum of a number.'),
    maximum: number('The maximum of a number.'),
    writeOnly: boolean('Whether its value is a secret.'),
    'x-secret': boolean('The same as `writeOnly`.'),
    'x-placeholder': text('An example of a value.'),
    'x-help-url': text('Where the provider explains how to find the value.'),
    'x-order': number('Its position in the form.'),
    'x-labels': values('The labels of the values in `enum`.'),
    'x-i18n': values('Its texts in other languages.'),
  },
  {
    additionalProperties: true,
    $id: 'SpecField',
    description: 'A field of a form: a JSON Schema with members for pages.',
    examples: [{ type: 'string', title: 'API key', writeOnly: true }],
  },
)

const example = {
  type: 'object',
  required: ['api_key'],
  properties: { api_key: { title: 'API key' } },
}

const SpecFields = Type.Object(
  {
    type: text('Always `object`.'),
    required: texts('The names of the fields that must have a value.'),
    properties: Type.Optional(recordOf(ref(SpecField), 'The fields by their names.')),
  },
  {
    additionalProperties: true,
    $id: 'SpecFields',
    description: 'The fields of a form, as the JSON Schema of an object.',
    examples: [example],
  },
)

const SpecAuthType = Type.Object(
  {
    input_specification: Type.Optional(ref(SpecFields)),
    headers: values('The headers of authenticated requests, with references to fields.'),
    query: values('The query parameters with credentials, with references to fields.'),
    api_base_url: text("The base URL of the provider's API, for the proxy."),
    authorization_url: text('The authorization endpoint (RFC 6749), if people sign in.'),
    token_url: text('The token endpoint (RFC 6749).'),
    discovery: text('`mcp`: the server at `server_url` says where people sign in.'),
    server_url: text('The URL of that server, an MCP server.'),
    refresh_url: text('The endpoint for refresh tokens, if it is another one.'),
    revocation_url: text('The revocation endpoint (RFC 7009).'),
    default_scopes: texts('The scopes that a sign-in requests.'),
    'x-redirect-name': text(
      'What the provider calls the value that it assigns to a redirect URI. OAuth apps have it as `redirectName`.',
    ),
    'x-scope-labels': values('What each scope allows, for people.'),
  },
  {
    additionalProperties: true,
    $id: 'SpecAuthType',
    description:
      'A way to authenticate. Members that are not listed here belong to OAuth: see docs/bundles.md.',
    examples: [{ input_specification: example }],
  },
)

/** The response of Get integration definition spec. The stored JSON text is sent; this schema documents it. */
export const IntegrationSpec = Type.Object(
  {
    auth_specification: recordOf(ref(SpecAuthType), 'The auth types by their names.'),
    other_inputs: Type.Optional(
      Type.Object(
        { input_specification: Type.Optional(ref(SpecFields)) },
        {
          additionalProperties: true,
          description: 'The fields that all auth types share.',
        },
      ),
    ),
    api_base_url: text("The base URL of the provider's API, if all auth types have the same."),
    'x-hosts': texts('The hosts that receive requests.'),
    'x-check-interval': number(
      'Seconds without a use after which the credentials are checked; 0: never. Absent: as the operator has set it.',
    ),
  },
  {
    additionalProperties: true,
    $id: 'IntegrationSpec',
    description: 'The spec of an integration: what it needs to connect an account.',
    examples: [{ auth_specification: { 'Api Key': { input_specification: example } } }],
  },
)

export const getDefinitionSpecOperation = defineOperation({
  id: 'getDefinitionSpec',
  sdk: 'definitions.getSpec',
  method: 'GET',
  path: '/v1/integration_definition/:integrationDefinitionId/spec',
  tag: 'Integration definitions',
  summary: 'Get the spec of an integration definition',
  description:
    'The spec as the bundle returned it: its auth types, their fields, and with `x-scope-labels` what a sign-in allows.',
  scope: 'read',
  params: DefinitionParams,
  query: StrictObject(DefinitionQuery),
  response: IntegrationSpec,
  returns: 'The spec.',
  errors: ['integration_definition_not_found'],
  directRead: (deps: GetDefinitionSpecDeps) =>
    createDirectRead(deps.database, (access, id: DefinitionReference) =>
      getDefinitionSpec(deps, access, id, {}),
    ),
  handle: (deps: GetDefinitionSpecDeps, caller, { params, query }) =>
    getDefinitionSpec(deps, caller, params.integrationDefinitionId, query),
})

/** The validated spec, as the stored JSON text (interface: Get integration definition spec). */
export async function getDefinitionSpec(
  deps: FindDefinitionDeps,
  access: WorkspaceAccess,
  reference: DefinitionReference,
  filter: DefinitionFilter,
): Promise<string> {
  return (await findDefinition(deps, access, reference, filter)).specJson
}
