import type { Linchpin } from '@linchpin/sdk'
import { UnsupportedConnectionError } from './convert-credentials.ts'
import type { NangoClient, NangoConnection } from './nango-client.ts'

/** Compares the OAuth clients of Nango's integrations with those of the OAuth apps here. */
export interface OAuthClientComparison {
  /**
   * Returns a warning if the client of the integration cannot be read.
   *
   * @param accountIdentifier the customer, who may have an OAuth app of its own here
   * @param ownClientId the client that only this connection uses
   * @throws UnsupportedConnectionError if the tokens belong to another client than that of the OAuth app: a token endpoint
   * refuses them, and some providers then end the grant; Error `oauth_app_missing`
   */
  compare(
    connection: NangoConnection,
    definitionId: string,
    accountIdentifier: string | null | undefined,
    ownClientId: string | undefined,
  ): Promise<string | undefined>
}

/** Reads each integration and the list of OAuth apps once. */
export function createClientComparison(
  nango: NangoClient,
  linchpin: Linchpin,
  workspaceId: string | undefined,
): OAuthClientComparison {
  const integrations = new Map<string, Promise<string | undefined>>()
  let apps: Promise<Map<string, string>> | undefined
  const readClientId = (integration: string) => {
    const read = integrations.get(integration) ?? nango.getClientId(integration)
    integrations.set(integration, read)
    return read
  }
  return {
    async compare(
      { provider_config_key: integration },
      definitionId,
      accountIdentifier,
      ownClientId,
    ) {
      apps ??= readApps(linchpin, workspaceId)
      const appClientId = findClientId(await apps, definitionId, accountIdentifier)
      if (appClientId === undefined) throw new Error('oauth_app_missing')
      const clientId = ownClientId ?? (await readClientId(integration))
      if (clientId === undefined)
        return 'The client of its integration could not be compared with that of the OAuth app: the key lacks environment:integrations:read_credentials.'
      if (clientId === '')
        throw new UnsupportedConnectionError('Its integration uses an OAuth app of Nango.')
      if (clientId !== appClientId)
        throw new UnsupportedConnectionError(
          ownClientId === undefined
            ? 'The OAuth app of the definition has another client ID than its integration in Nango.'
            : 'It has an OAuth client of its own.',
        )
      return undefined
    },
  }
}

/** The client IDs of the default apps, and of those of customers. */
async function readApps(
  linchpin: Linchpin,
  workspaceId: string | undefined,
): Promise<Map<string, string>> {
  const apps = new Map<string, string>()
  for await (const app of linchpin.oauthApps.list({ workspaceId }))
    if (app.isDefault || app.accountIdentifier !== null)
      apps.set(toKey(app.integrationDefinitionId, app.accountIdentifier), app.clientId)
  return apps
}

/** As the service selects the app of an import. */
function findClientId(
  apps: ReadonlyMap<string, string>,
  definitionId: string,
  accountIdentifier: string | null | undefined,
): string | undefined {
  const own =
    accountIdentifier == null ? undefined : apps.get(toKey(definitionId, accountIdentifier))
  return own ?? apps.get(toKey(definitionId, null))
}

const toKey = (definitionId: string, accountIdentifier: string | null) =>
  JSON.stringify([definitionId, accountIdentifier])
