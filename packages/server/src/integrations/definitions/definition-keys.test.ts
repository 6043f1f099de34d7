import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { buildVersion, createSmallCatalogue } from '../../../test/small-catalogue.ts'
import {
  expectCreated,
  expectError,
  expectOk,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

const PATH = '/v1/integration_definition'
/** The name of the catalogue's definition; a custom one with this name has the same key. */
const DESK = 'desk'

describeOnBothDatabases('The key of a definition', (newUrl) => {
  let t: TestContext
  /** A user whose workspace has a definition of its own with the key of one of the catalogue. */
  let other: Awaited<ReturnType<TestContext['otherUser']>>
  let catalogueId: string
  let ownId: string
  before(async () => {
    const url = await newUrl()
    const catalogue = await createSmallCatalogue([await buildVersion(DESK, '1.0.0')])
    t = await testContext({ catalogue, ...(url && { url }) })
    other = await t.otherUser()
    const [inCatalogue] = expectOk(await t.call('GET', `${PATH}?key=${DESK}`))
    catalogueId = inCatalogue.integrationDefinitionId
    const own = await t.createDefinition({ name: DESK, token: other.token })
    ownId = own.integrationDefinitionId
    assert.equal(own.key, DESK)
  })
  after(() => t.close())

  const findIds = async (query: string, token: string) =>
    expectOk(await t.call('GET', `${PATH}?${query}`, { token })).map(
      (each: { integrationDefinitionId: string }) => each.integrationDefinitionId,
    )
  const createCheck = (integrationDefinitionId: string) => ({
    integrationDefinitionId,
    authType: 'Api Key',
    config: { api_key: 'key_that_works' },
  })

  it("finds the workspace's own definition, else the catalogue's", async () => {
    assert.deepEqual(await findIds(`key=${DESK}`, t.token), [catalogueId])
    assert.deepEqual(await findIds(`key=${DESK}`, other.token), [ownId])
    assert.deepEqual(await findIds('key=none', t.token), [])
    assert.deepEqual(await findIds(`key=${DESK}&category=CRM`, t.token), [])
    for (const { token, id } of [
      { token: t.token, id: catalogueId },
      { token: other.token, id: ownId },
    ]) {
      const found = expectOk(await t.call('GET', `${PATH}/${DESK}`, { token }))
      assert.equal(found.integrationDefinitionId, id)
      const spec = expectOk(await t.call('GET', `${PATH}/${DESK}/spec`, { token }))
      assert.deepEqual(spec, expectOk(await t.call('GET', `${PATH}/${id}/spec`, { token })))
    }
  })

  it('is a key of the requested workspace', async () => {
    const { workspaceId } = expectCreated(
      await t.call('POST', '/v1/workspace', { body: {}, token: other.token }),
    )
    const path = `${PATH}/${DESK}?workspaceId=${workspaceId}`
    const found = expectOk(await t.call('GET', path, { token: other.token }))
    assert.equal(found.integrationDefinitionId, catalogueId)
  })

  it('works in bodies and filters', async () => {
    const { token } = other
    const check = { body: createCheck(DESK), token }
    assert.equal((await t.call('POST', '/v1/integration_account/check', check)).body.status, true)
    const account = expectCreated(
      await t.call('POST', '/v1/integration_account', {
        body: { ...createCheck(DESK), integrationAccountName: 'a' },
        token,
      }),
    )
    assert.equal(account.integrationDefinitionId, ownId)
    const list = async (key: string) =>
      expectOk(
        await t.call('GET', `/v1/integration_account?integrationDefinitionId=${key}`, { token }),
      )
    assert.equal((await list(DESK)).length, 1)
    assert.deepEqual(await list('none'), [])
    const link = { linkName: 'a', integrationDefinitionId: DESK }
    const created = expectCreated(await t.call('POST', '/v1/link', { body: link, token }))
    assert.deepEqual(created.integrationDefinitionIds, [ownId])
  })

  it('of another workspace is treated like an unknown one', async () => {
    const foreign = await t.createDefinition({ name: 'Foreign', token: other.token })
    const messages = []
    for (const key of [foreign.key, 'none', 'a'.repeat(255), 'ü', '../x', "x' or 1=1 --"]) {
      const path = `${PATH}/${encodeURIComponent(key)}`
      const { message } = expectError(await t.call('GET', path), 'integration_definition_not_found')
      const check = await t.call('POST', '/v1/integration_account/check', {
        body: createCheck(key),
      })
      messages.push(`${message} ${expectError(check, 'unknown_reference').message}`)
    }
    assert.equal(new Set(messages).size, 1)
  })

  it('no longer names a deleted definition', async () => {
    const { key, integrationDefinitionId } = await t.createDefinition({ name: 'Old' })
    expectOk(await t.call('DELETE', `${PATH}/${key}`))
    expectError(await t.call('GET', `${PATH}/${key}`), 'integration_definition_not_found')
    assert.notEqual(
      expectOk(await t.call('GET', `${PATH}/${integrationDefinitionId}`)).deleted,
      null,
    )
  })
})
