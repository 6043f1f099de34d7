import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { describePostgres } from '../../../test/postgres.ts'
import { openPoozleSource } from './poozle-source-store.ts'
import { createPoozleReplica, type PoozleReplica } from './test/poozle-replica.ts'

describePostgres('The database of Poozle', (server) => {
  let poozle: PoozleReplica
  let client: pg.Client
  before(async () => {
    poozle = await createPoozleReplica(await server().createDatabase('source'))
    client = new pg.Client({ connectionString: poozle.url })
    await client.connect()
  })
  after(async () => {
    await client.end()
    await poozle.close()
  })

  it('is read in batches, each account once, as it was at the beginning', async () => {
    const insert = (from: number, to: number) =>
      client.query(
        `insert into "IntegrationAccount" ("integrationAccountId", "integrationDefinitionId", "authType", "workspaceId", "integrationAccountName")
         select lpad(n::text, 8, '0'), 'd', 'OAuth2', $1, 'A' from generate_series($2::int, $3::int) n`,
        [poozle.workspaceId, from, to],
      )
    await insert(1, 1_201)
    const source = await openPoozleSource(poozle.url)
    await source.listWorkspaces()
    await insert(1_202, 1_300)
    const ids: string[] = []
    for await (const account of source.listAccounts(poozle.workspaceId))
      ids.push(account.integrationAccountId)
    await source.close()
    assert.equal(new Set(ids).size, 1_201)
    assert.equal(ids.length, 1_201)
  })

  it('cannot be written, and the schema of the URL of Prisma is used', async () => {
    await client.query(`
      create schema writing; create table writing.log (at text);
      create function writing.write() returns text language sql as $$insert into writing.log values ('x') returning at$$;
      create view writing."Workspace" as select writing.write() as "workspaceId", 'a' as slug, null as deleted`)
    const source = await openPoozleSource(`${poozle.url}?schema=writing`)
    await assert.rejects(source.listWorkspaces(), /read-only transaction/)
    await source.close()
  })

  it('must have the tables of its last version', async () => {
    const source = await openPoozleSource(`${poozle.url}?schema=nowhere`)
    await assert.rejects(source.listWorkspaces(), /last version: relation "Workspace" does not/)
    await source.close()
  })
})
