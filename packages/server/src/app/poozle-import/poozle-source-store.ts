import { parsePostgresUrl } from '../../platform/config/setting.ts'
import { PostgresClient } from '../../platform/storage/postgres/postgres-pool.ts'

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

/** What the import reads of Poozle's database, with the names of its Prisma schema. Times are epoch milliseconds. */
export interface PoozleWorkspace {
  readonly workspaceId: string
  readonly slug: string
}

export interface PoozleDefinition {
  readonly integrationDefinitionId: string
  readonly name: string
  readonly key: string
  readonly sourceUrl: string
  readonly integrationType: string
  /** Null for a definition that all workspaces share. */
  readonly workspaceId: string | null
}

export interface PoozleOAuthApp {
  readonly integrationOAuthAppId: string
  readonly integrationOAuthAppName: string
  readonly integrationDefinitionId: string
  readonly clientId: string
  readonly clientSecret: string
  /** Separated by commas. */
  readonly scopes: string
}

export interface PoozleLink {
  readonly linkId: string
  readonly linkName: string
  readonly canExpire: boolean
  /** Seconds after the creation. */
  readonly expiresIn: number
  readonly category: readonly string[] | null
  readonly integrationDefinitionId: string | null
  readonly preferOAuth: boolean
  readonly createdAt: number
}

export interface PoozleAccount {
  readonly integrationAccountId: string
  readonly integrationDefinitionId: string
  readonly integrationConfiguration: Readonly<Record<string, unknown>> | null
  readonly authType: string
  readonly integrationAccountName: string
  readonly accountIdentifier: string | null
  readonly linkId: string | null
  readonly createdAt: number
}

/** A snapshot of Poozle's database. Deleted rows are left out. */
export interface PoozleSource {
  listWorkspaces(): Promise<PoozleWorkspace[]>
  /** The definitions of a workspace, and the shared ones that it uses. */
  listDefinitions(workspaceId: string): Promise<PoozleDefinition[]>
  listOAuthApps(workspaceId: string): Promise<PoozleOAuthApp[]>
  listLinks(workspaceId: string): Promise<PoozleLink[]>
  /** In batches. */
  listAccounts(workspaceId: string): AsyncGenerator<PoozleAccount, void, undefined>
  close(): Promise<void>
}
