import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/platform/storage/database.ts'
import type { Tables } from '../../src/platform/storage/tables.ts'

/**
 * Everything that a schema has, in lines that do not depend on the order in which it was made, nor on white space: columns with types and
 * defaults, keys, constraints, indexes, triggers and, on PostgreSQL, functions and storage parameters.
 */
export async function describeSchema({ dialect, read }: Database): Promise<string[]> {
  const queries = dialect === 'postgres' ? POSTGRES : SQLITE
  const lines = await Promise.all(queries.map((query) => readLines(read, query)))
  return lines.flat().map(normalize).sort()
}

async function readLines(db: Kysely<Tables>, query: string): Promise<string[]> {
  const { rows } = await sql.raw<Record<string, unknown>>(query).execute(db)
  return rows.map((row) => Object.values(row).join(' '))
}

const normalize = (line: string) =>
  line.toLowerCase().replaceAll('"', '').replace(/\s+/g, ' ').trim()

const SQLITE_TABLES = `sqlite_master as t where t.type = 'table' and t.name not like 'sqlite_%'`

const SQLITE = [
  `select 'column', t.name as t, c.name, c.type, c."notnull", c.dflt_value, c.pk
    from pragma_table_info(t.name) as c, ${SQLITE_TABLES}`,
  `select 'reference', t.name as t, f."from", f."table", f."to", f.on_delete
    from pragma_foreign_key_list(t.name) as f, ${SQLITE_TABLES}`,
  `select 'unique', t.name as t, i.origin, (select group_concat(name) from pragma_index_info(i.name))
    from pragma_index_list(t.name) as i, ${SQLITE_TABLES} and i.origin <> 'c'`,
  `select type, sql from sqlite_master where type in ('index', 'trigger') and sql is not null`,
  `select 'table', name, wr, strict from pragma_table_list where schema = 'main'`,
  `select 'autoincrement', name from sqlite_master where sql like '%autoincrement%'`,
]

const POSTGRES = [
  `select 'column', table_name, column_name, data_type, is_nullable, coalesce(column_default, '-'),
      coalesce(collation_name, '-'), is_identity, coalesce(identity_generation, '-')
    from information_schema.columns where table_schema = 'public'`,
  `select 'storage', attrelid::regclass, attname, attstorage from pg_attribute
    where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
      and attnum > 0 and not attisdropped`,
  `select 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid) from pg_constraint
    where connamespace = 'public'::regnamespace`,
  `select indexdef from pg_indexes where schemaname = 'public'`,
  `select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`,
  `select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace`,
  `select 'class', relname, relkind, coalesce(array_to_string(reloptions, ','), '-') from pg_class
    where relnamespace = 'public'::regnamespace`,
]
