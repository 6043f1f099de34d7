import { randomUUID } from 'node:crypto'
import pg from 'pg'

/**
 * The tables of Poozle that the import reads, as its published Prisma schema (engine-server/prisma/schema.prisma) makes
 * them in PostgreSQL. Not tried against a database of the original.
 */
const SCHEMA = `
create type "ReleaseStage" as enum ('ALPHA', 'BETA', 'GENERALLY_AVAILABLE', 'CUSTOM');
create type "IntegrationType" as enum ('HRIS', 'MESSAGING', 'CALENDAR', 'TICKETING', 'MAIL', 'DOCUMENTATION',
  'ACCOUNTING', 'ATS', 'STORAGE', 'PAYMENTS');
create table "Workspace" ("workspaceId" text primary key, slug text not null unique, "userId" text not null,
  deleted timestamp(3));
create table "IntegrationDefinition" ("integrationDefinitionId" text primary key, name text not null, key text not null,
  icon text, version text not null default '0.0.1', "releaseStage" "ReleaseStage" not null default 'ALPHA',
  "sourceUrl" text not null, "integrationType" "IntegrationType" not null, "workspaceId" text,
  deleted timestamp(3), "createdAt" timestamp(3) not null default now(), "updatedAt" timestamp(3) not null default now());
create table "IntegrationOAuthApp" ("integrationOAuthAppId" text primary key, "integrationOAuthAppName" text not null,
  "integrationDefinitionId" text not null, "clientId" text not null, "clientSecret" text not null, scopes text not null,
  "workspaceId" text not null, deleted timestamp(3), "createdAt" timestamp(3) not null default now(),
  "updatedAt" timestamp(3) not null default now());
create table "IntegrationAccount" ("integrationAccountId" text primary key, "integrationDefinitionId" text not null,
  "integrationConfiguration" jsonb, "authType" text not null, "workspaceId" text not null,
  "integrationAccountName" text not null, deleted timestamp(3), "createdAt" timestamp(3) not null default now(),
  "updatedAt" timestamp(3) not null default now(), "accountIdentifier" text, "syncEnabled" boolean not null default false,
  "syncPeriod" text, "linkId" text);
create table "Link" ("linkId" text primary key, "linkName" text not null, "canExpire" boolean not null default false,
  "expiresIn" integer not null, category "IntegrationType"[], "integrationDefinitionId" text,
  "preferOAuth" boolean not null default false, "workspaceId" text not null,
  "createdAt" timestamp(3) not null default now(), "updatedAt" timestamp(3) not null default now());`

/** A database with the tables of Poozle, and one workspace in it. */
export interface PoozleReplica {
  readonly url: string
  readonly workspaceId: string
  /** Inserts a row, with a new UUID as its key; returns the key. */
  insert(table: string, key: string, row: Record<string, unknown>): Promise<string>
  /** A hash of everything in the database. */
  hash(): Promise<string>
  close(): Promise<void>
}

export async function createPoozleReplica(url: string): Promise<PoozleReplica> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(SCHEMA)
  const insert = async (table: string, key: string, row: Record<string, unknown>) => {
    const values = { [key]: randomUUID(), ...row }
    const names = Object.keys(values).map((name) => `"${name}"`)
    const places = names.map((_, index) => `$${index + 1}`)
    const text = `insert into "${table}" (${names.join()}) values (${places.join()})`
    await client.query(text, Object.values(values))
    return String(values[key])
  }
  const workspaceId = await insert('Workspace', 'workspaceId', { slug: 'acme', userId: 'u' })
  return {
    url,
    workspaceId,
    insert,
    async hash() {
      const tables = ['Workspace', 'IntegrationDefinition', 'IntegrationAccount', 'Link']
      const parts = tables.map((name) => `(select md5(string_agg(t::text, ',')) from "${name}" t)`)
      const { rows } = await client.query(`select concat(${parts.join()}) as hash`)
      return rows[0].hash
    },
    close: () => client.end(),
  }
}
