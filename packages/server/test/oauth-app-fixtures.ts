import { created, type World } from './fixtures.ts'

/** The exact fields of an OAuth app in answers. */
export const OAUTH_APP_KEYS = [
  'allowedHosts',
  'clientId',
  'createdAt',
  'integrationDefinitionId',
  'integrationOAuthAppId',
  'integrationOAuthAppName',
  'scopes',
  'updatedAt',
  'workspaceId',
] as const

/** An id that is well-formed and names nothing. */
export const UNKNOWN_APP = 'oap_01m7yye6z6e6m8f814qshnwdjc'

/** Makes an OAuth app; by default of a new definition. */
export async function registerApp(
  world: World,
  given: Record<string, unknown> & { token?: string } = {},
): Promise<Record<string, string>> {
  const { token = world.token, ...body } = given
  const integrationDefinitionId =
    body.integrationDefinitionId ?? (await world.define({ token })).integrationDefinitionId
  return created(
    await world.call('POST', '/v1/integration_oauth', {
      body: { clientId: 'client-of-ours', ...body, integrationDefinitionId },
      token,
    }),
  )
}
