import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/** The catalogue: definitions that all workspaces share, what each of them runs, and what it ran before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const types = db.getExecutor().adapter instanceof PostgresAdapter ? POSTGRES : SQLITE
  await extendDefinitions(db, types)
  await createPins(db, types)
  await createKeptVersions(db, types)
  await createCatalogueVersions(db, types)
  await createRegistries(db, types)
  await createPreviews(db, types)
}

interface Types {
  text: RawBuilder<unknown>
  integer: RawBuilder<unknown>
}

const SQLITE: Types = { text: sql`text`, integer: sql`integer` }
// Collation "C" orders text by its bytes, as SQLite does.
const POSTGRES: Types = { text: sql`text collate "C"`, integer: sql`bigint` }

async function extendDefinitions(db: Kysely<unknown>, { text }: Types): Promise<void> {
  for (const name of ['latest_version', 'latest_source_url'])
    await db.schema.alterTable('definitions').addColumn(name, text).execute()
}

async function createPins(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('definition_pins')
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('version', text, (c) => c.notNull())
    .addColumn('source_url', text, (c) => c.notNull())
    .addColumn('bundle_sha256', text, (c) => c.notNull().references('bundles.sha256'))
    .addColumn('spec', text, (c) => c.notNull())
    .addColumn('updated_at', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('definition_pins_pkey', ['definition_id', 'workspace_id'])
    .execute()
}

async function createKeptVersions(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('kept_versions')
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('position', integer, (c) => c.notNull())
    .addColumn('version', text, (c) => c.notNull())
    .addColumn('source_url', text, (c) => c.notNull())
    .addColumn('bundle_sha256', text, (c) => c.notNull().references('bundles.sha256'))
    .addColumn('spec', text, (c) => c.notNull())
    .addColumn('used_until', integer, (c) => c.notNull())
    .addPrimaryKeyConstraint('kept_versions_pkey', ['definition_id', 'workspace_id', 'position'])
    .execute()
}

async function createCatalogueVersions(db: Kysely<unknown>, { text }: Types): Promise<void> {
  await db.schema
    .createTable('catalogue_versions')
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('version', text, (c) => c.notNull())
    .addColumn('source_url', text, (c) => c.notNull())
    // The bundle itself may not be here yet.
    .addColumn('bundle_sha256', text, (c) => c.notNull())
    .addPrimaryKeyConstraint('catalogue_versions_pkey', ['definition_id', 'version'])
    .execute()
}

async function createRegistries(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('registries')
    .addColumn('url', text, (c) => c.primaryKey().notNull())
    .addColumn('etag', text)
    .addColumn('document', text)
    .addColumn('fetched_at', integer)
    .addColumn('next_at', integer, (c) => c.notNull())
    .execute()
}

async function createPreviews(db: Kysely<unknown>, { text, integer }: Types): Promise<void> {
  await db.schema
    .createTable('previews')
    .addColumn('preview_id', text, (c) => c.primaryKey().notNull())
    .addColumn('workspace_id', text, (c) => c.notNull().references('workspaces.workspace_id'))
    .addColumn('definition_id', text, (c) => c.notNull().references('definitions.definition_id'))
    .addColumn('bundle_sha256', text, (c) => c.notNull())
    .addColumn('state', text, (c) => c.notNull())
    .addColumn('result', text, (c) => c.notNull())
    // Whoever checks says so again and again; when it stops, nobody does.
    .addColumn('alive_until', integer, (c) => c.notNull())
    .addColumn('created_at', integer, (c) => c.notNull())
    .addColumn('expires_at', integer, (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('previews_definition_id_workspace_id')
    .on('previews')
    .columns(['definition_id', 'workspace_id'])
    .execute()
  await db.schema
    .createIndex('previews_expires_at')
    .on('previews')
    .columns(['expires_at'])
    .execute()
}
