import type { ImportAccount } from '@linchpin/sdk'
import {
  type ConvertedConnection,
  convertCredentials,
  type ImportTarget,
  UnsupportedConnectionError,
} from './convert-credentials.ts'
import type { NangoConnection, NangoCredentials } from './nango-client.ts'

/** Who the account belongs to: `accountIdentifier`. */
export type IdentifierSource = 'end_user' | 'organization' | 'connection'

/** The tags by which the account of a connection is found. */
export function getConnectionTags(connection: NangoConnection): Record<string, string> {
  return {
    'nango.integration': connection.provider_config_key,
    'nango.connection_id': connection.connection_id,
  }
}

/** An account to import, and what the connection has that the account will not have. */
export interface BuiltImport extends Pick<ConvertedConnection, 'clientId' | 'unused'> {
  readonly body: Omit<ImportAccount, 'workspaceId' | 'integrationDefinitionId'>
}

/**
 * The import of a connection, under the auth type of the spec that fits its credentials.
 *
 * @throws UnsupportedConnectionError
 */
export function buildImport(
  connection: NangoConnection,
  full: NangoCredentials,
  target: ImportTarget,
  identifier: IdentifierSource = 'end_user',
): BuiltImport {
  const { connection_id: id, provider_config_key: key, created } = connection
  const tags = { ...pickTags(full), ...getConnectionTags(connection) }
  if (Object.values(tags).some((value) => value.length > MAX_TAG))
    throw new UnsupportedConnectionError('Its ID has more than 255 characters.')
  const { end_user: user } = full
  const organization = user?.organization?.id ?? textOf(full.tags?.organization_id)
  const endUser = user?.id ?? textOf(full.tags?.end_user_id)
  const owner = { end_user: endUser, organization, connection: id }[identifier]
  const name = user?.display_name || user?.email || textOf(full.tags?.end_user_email) || id
  const createdAt = toTime(full.created_at ?? created)
  const { clientId, unused, ...credentials } = convertCredentials(connection, full, target)
  const body = {
    externalId: `nango:${key}/${id}`,
    integrationAccountName: name.slice(0, 200),
    accountIdentifier: owner ?? id,
    tags,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...credentials,
  }
  return { body, clientId, unused }
}

const MAX_TAG = 255
const MAX_TAGS = 18

function pickTags({ tags, end_user: user }: NangoCredentials): Record<string, string> {
  const entries = Object.entries({ ...user?.tags, ...tags }).filter(
    (entry): entry is [string, string] =>
      /^[A-Za-z0-9_.-]{1,64}$/.test(entry[0]) &&
      typeof entry[1] === 'string' &&
      entry[1].length <= MAX_TAG,
  )
  return Object.fromEntries(entries.slice(0, MAX_TAGS))
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

function toTime(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(Math.min(time, Date.now())).toISOString()
}
