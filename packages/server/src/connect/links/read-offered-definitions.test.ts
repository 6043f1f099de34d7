import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import {
  expectCreated,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import type { Database } from '../../platform/storage/database.ts'
import { openDatabase } from '../../platform/storage/open-database.ts'

describeOnBothDatabases('Definitions of GET /v1/link/{linkId}', (newUrl) => {
  let t: TestContext
  let otherProcess: Database
  let definitionId: DefinitionId
  before(async () => {
    const url = await newUrl()
    t = await testContext({ url })
    definitionId = (await t.createDefinition()).integrationDefinitionId
    otherProcess = await openDatabase({
      url,
      file: url === undefined ? await findFile() : undefined,
    })
  })
  after(async () => {
    await otherProcess.close()
    await t.close()
  })

  const findFile = async () => {
    const query = sql<{ file: string }>`select file from pragma_database_list`
    return (await query.execute(t.database.read)).rows[0]?.file
  }
  const createLink = async (token = t.token, overrides: object = {}) =>
    expectCreated(
      await t.call('POST', '/v1/link', { token, body: { linkName: 'a', ...overrides } }),
    )
  const getNames = async (linkId: string, token = t.token) => {
    const link = expectOk(await t.call('GET', `/v1/link/${linkId}`, { token }))
    return link.integrationDefinitions.map((each: { name: string }) => each.name)
  }
  const rename = (database: Database, name: string) =>
    database.transaction((trx) =>
      trx
        .updateTable('definitions')
        .set({ name })
        .where('definition_id', '=', definitionId)
        .execute(),
    )

  it('GET /v1/link/{linkId}: the next request sees a change of a definition, by this process or another', async () => {
    const { linkId } = await createLink()
    for (const [database, name] of [
      [t.database, 'First'],
      [otherProcess, 'Second'],
      [t.database, 'Third'],
    ] as const) {
      await getNames(linkId)
      await rename(database, name)
      assert.deepEqual(await getNames(linkId), [name])
    }
  })

  it('GET /v1/link/{linkId}: links of other users and with other restrictions show their own definitions', async () => {
    const other = await t.otherUser()
    const [own, foreign, restricted] = [
      await createLink(),
      await createLink(other.token),
      await createLink(t.token, { category: ['CRM'] }),
    ]
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await getNames(own.linkId)).length, 1)
      assert.deepEqual(await getNames(foreign.linkId, other.token), [])
      assert.deepEqual(await getNames(restricted.linkId), [])
    }
  })
})
