import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * The endpoints that may receive the client secret of an OAuth app. Existing apps take those of the spec that their workspace
 * runs; where a configuration chooses how a host begins, the domain that the template ends it with becomes an allowed host, so that accounts
 * stay connected.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES_TEXT : sql`text`
  for (const name of ['secret_origins', 'allowed_hosts'])
    await db.schema.alterTable('oauth_apps').addColumn(name, text).execute()
  await fillExistingApps(db.withTables<Tables>())
}

// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES_TEXT: RawBuilder<unknown> = sql`text collate "C"`

/** What this migration reads and writes. */
type Tables = {
  oauth_apps: {
    oauth_app_id: string
    workspace_id: string
    definition_id: string
    secret_origins: string | null
    allowed_hosts: string | null
  }
  definitions: { definition_id: string; spec: string }
  definition_pins: { definition_id: string; workspace_id: string; spec: string }
}

async function fillExistingApps(db: Kysely<Tables>): Promise<void> {
  const apps = await db
    .selectFrom('oauth_apps')
    .select(['oauth_app_id', 'workspace_id', 'definition_id'])
    .execute()
  for (const { oauth_app_id: id, workspace_id: workspace, definition_id: definition } of apps) {
    const pin = await db
      .selectFrom('definition_pins')
      .select('spec')
      .where('definition_id', '=', definition)
      .where('workspace_id', '=', workspace)
      .executeTakeFirst()
    const row =
      pin ??
      (await db
        .selectFrom('definitions')
        .select('spec')
        .where('definition_id', '=', definition)
        .executeTakeFirst())
    const { origins, domains } = endpointsOf(JSON.parse(row?.spec ?? '{}'))
    await db
      .updateTable('oauth_apps')
      .set({ secret_origins: JSON.stringify(origins), allowed_hosts: JSON.stringify(domains) })
      .where('oauth_app_id', '=', id)
      .execute()
  }
}

type Json = Readonly<Record<string, unknown>>

const ENDPOINTS = [
  'token_url',
  'refresh_url',
  'revocation_url',
  'pushed_authorization_request_url',
] as const
const FIELD = /\$\{([A-Za-z0-9_.-]+)\}/g
const MAX_ORIGINS = 200

function endpointsOf(spec: Json): { origins: string[]; domains: string[] } {
  const shared = propertiesOf(spec.other_inputs)
  const origins = new Set<string>()
  const domains = new Set<string>()
  for (const auth of Object.values(asObject(spec.auth_specification)).map(asObject)) {
    if (!isText(auth.authorization_url) || !isText(auth.token_url)) continue
    const fields = propertiesOf(auth)
    for (const name of ENDPOINTS) {
      const url = auth[name]
      if (!isText(url)) continue
      const start = /^(?:\$\{[^}]*\}|https?:\/\/[^/?#]*)/i.exec(url.trim())?.[0] ?? ''
      const starts = expand(start, (field) =>
        valuesOf({ ...asObject(fields[field]), ...asObject(shared[field]) }),
      )
      for (const each of starts ?? []) {
        const origin = URL.parse(each)?.origin
        if (origin?.startsWith('http')) origins.add(origin)
      }
      const domain = /\}(\.[a-z0-9-]+(?:\.[a-z0-9-]+)+)$/i.exec(start)?.[1]
      if (starts === undefined && domain !== undefined) domains.add(`*${domain.toLowerCase()}`)
    }
  }
  return { origins: [...origins].sort().slice(0, MAX_ORIGINS), domains: [...domains].sort() }
}

/** Every way to fill the fields of a template; undefined when one of them may hold anything. */
function expand(
  template: string,
  valuesFor: (field: string) => readonly unknown[] | undefined,
): string[] | undefined {
  let filled = [template]
  for (const [placeholder, field = ''] of template.matchAll(FIELD)) {
    const values = valuesFor(field)
    if (values === undefined) return undefined
    filled = filled
      .flatMap((each) => values.map((value) => each.replace(placeholder, () => String(value))))
      .slice(0, MAX_ORIGINS)
  }
  return filled
}

function valuesOf(field: Json): readonly unknown[] | undefined {
  if (Array.isArray(field.enum)) return field.enum
  return field.default == null ? undefined : [field.default]
}

function propertiesOf(schema: unknown): Json {
  return asObject(asObject(asObject(schema).input_specification).properties)
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
