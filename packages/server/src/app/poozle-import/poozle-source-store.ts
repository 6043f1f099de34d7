import { parsePostgresUrl } from '../../platform/config/parse-postgres-url.ts'
import { PostgresClient } from '../../platform/storage/postgres/postgres-client.ts'
import type { PoozleAccount, PoozleSource } from './poozle-source.ts'

/**
 * Opens Poozle's PostgreSQL database in one read-only transaction: all reads see the same state, and nothing can be
 * written. The URL may be that of Prisma, whose `schema` selects the schema.
 *
 * @throws Error without the URL, which may contain a password; its methods: TypeError for another schema
 */
export async function openPoozleSource(databaseUrl: string): Promise<PoozleSource> {
  const { connectionString, schema } = parseUrl(databaseUrl)
  const client = new PostgresClient({
    connectionString,
    application_name: 'linchpin import poozle',
    connectionTimeoutMillis: 10_000,
    query_timeout: 120_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read, read only')
    await client.query('select set_config($1, $2, true)', ['search_path', schema])
  } catch (error) {
    await client.end().catch(() => {})
    const { code, message } = error as { code?: string; message: string }
    throw new Error(`The database of Poozle cannot be opened: ${code ?? message}`)
  }
  const list = async <T>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await client.query(text, values).catch(rejectOtherSchema)).rows as T[]
  return {
    listWorkspaces: () => list(WORKSPACES),
    listDefinitions: (workspaceId) => list(DEFINITIONS, [workspaceId]),
    listOAuthApps: (workspaceId) => list(OAUTH_APPS, [workspaceId]),
    listLinks: (workspaceId) => list(LINKS, [workspaceId]),
    async *listAccounts(workspaceId) {
      let after = ''
      for (;;) {
        const batch = await list<PoozleAccount>(ACCOUNTS, [workspaceId, after])
        yield* batch
        const last = batch.at(-1)
        if (last === undefined) return
        after = last.integrationAccountId
      }
    },
    close: () => client.end(),
  }
}

/** @throws TypeError if a table or a column is missing */
function rejectOtherSchema(error: unknown): never {
  const { code, message } = error as { code?: string; message: string }
  if (code !== '42P01' && code !== '42703') throw error
  throw new TypeError(`its tables are not those of Poozle's last version: ${message}`)
}

function parseUrl(databaseUrl: string): { connectionString: string; schema: string } {
  const url = URL.parse(databaseUrl)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new TypeError('The URL of the database of Poozle must begin with postgresql://')
  const schema = url.searchParams.get('schema') ?? 'public'
  // Prisma's own parameters, which PostgreSQL does not know.
  for (const name of ['schema', 'connection_limit', 'pool_timeout', 'pgbouncer'])
    url.searchParams.delete(name)
  try {
    return { connectionString: parsePostgresUrl(url.href), schema }
  } catch (error) {
    throw new TypeError(`The URL of the database of Poozle: ${(error as Error).message}`)
  }
}

const WORKSPACES = 'select "workspaceId", slug from "Workspace" where deleted is null order by 1'

const DEFINITIONS = `
  select "integrationDefinitionId", name, key, "sourceUrl", "integrationType"::text,
    "workspaceId"
  from "IntegrationDefinition" d
  where deleted is null and ("workspaceId" = $1 or exists (
    select from "IntegrationAccount" a
    where a."integrationDefinitionId" = d."integrationDefinitionId" and a."workspaceId" = $1 and a.deleted is null
  ) or exists (
    select from "Link" l where l."integrationDefinitionId" = d."integrationDefinitionId" and l."workspaceId" = $1
  ) or exists (
    select from "IntegrationOAuthApp" o
    where o."integrationDefinitionId" = d."integrationDefinitionId" and o."workspaceId" = $1 and o.deleted is null
  ))
  order by 1`

const OAUTH_APPS = `
  select "integrationOAuthAppId", "integrationOAuthAppName", "integrationDefinitionId", "clientId", "clientSecret", scopes
  from "IntegrationOAuthApp" where "workspaceId" = $1 and deleted is null order by 1`

/** Prisma stores times in UTC, without a time zone. */
const CREATED_AT = '(extract(epoch from "createdAt") * 1000)::float8 as "createdAt"'

const LINKS = `
  select "linkId", "linkName", "canExpire", "expiresIn", category::text[], "integrationDefinitionId", "preferOAuth",
    ${CREATED_AT}
  from "Link" where "workspaceId" = $1 order by 1`

const ACCOUNTS = `
  select "integrationAccountId", "integrationDefinitionId", "integrationConfiguration", "authType",
    "integrationAccountName", "accountIdentifier", "linkId", ${CREATED_AT}
  from "IntegrationAccount" where "workspaceId" = $1 and deleted is null and "integrationAccountId" > $2
  order by 1 limit 500`
