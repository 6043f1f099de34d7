import type { TestContext } from './base-context.ts'
import { expectCreated } from './expect-response.ts'

/** The exact fields of an OAuth app in responses. */
export const OAUTH_APP_KEYS = [
  'accountIdentifier',
  'accounts',
  'allowedHosts',
  'clientId',
  'createdAt',
  'failingSince',
  'integrationDefinitionId',
  'integrationOAuthAppId',
  'integrationOAuthAppName',
  'isDefault',
  'issuer',
  'kind',
  'redirectName',
  'scopes',
  'successorId',
  'scopesMode',
  'optionalScopes',
  'updatedAt',
  'workspaceId',
] as const

/** A well-formed unknown id. */
export const UNKNOWN_OAUTH_APP_ID = 'oap_01m7yye6z6e6m8f814qshnwdjc'

/** Creates an OAuth app, by default for a new definition. */
export async function registerOAuthApp(
  context: TestContext,
  options: Record<string, unknown> & { token?: string } = {},
): Promise<Record<string, string>> {
  const { token = context.token, ...body } = options
  const integrationDefinitionId =
    body.integrationDefinitionId ??
    (await context.createDefinition({ token })).integrationDefinitionId
  return expectCreated(
    await context.call('POST', '/v1/integration_oauth', {
      body: { clientId: 'client-of-ours', ...body, integrationDefinitionId },
      token,
    }),
  )
}
