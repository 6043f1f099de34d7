import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
  listAuditActions,
  RESPONSE_KEYS,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'

const TICKETING = { key: 'TICKETING', name: 'Ticketing' }

describe('POST /v1/link', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  const post = (overrides: object = {}, token = t.token) =>
    t.call('POST', '/v1/link', { body: { linkName: 'Onboarding', ...overrides }, token })
  const listErrorFields = async (overrides: object) =>
    Object.keys(expectError(await post(overrides), 'validation_failed').errors).sort()

  it('POST /v1/link: 201 with exactly the fields of the interface', async () => {
    const link = expectCreated(await post())
    expectKeys(link, RESPONSE_KEYS.link)
    const { linkId, createdAt, updatedAt, ...rest } = link
    assert.match(linkId, /^lnk_[0-9a-z]{32}$/)
    assert.match(createdAt, ISO_TIMESTAMP)
    assert.equal(updatedAt, createdAt)
    assert.deepEqual(rest, {
      linkName: 'Onboarding',
      canExpire: false,
      preferOAuth: false,
      expiresIn: 0,
      category: [],
      workspaceId: t.workspaceId,
      url: `http://localhost:3000/link/${linkId}`,
      integrationDefinitionIds: [],
      maxAccounts: null,
      maxAccountsPerIdentifier: null,
      allowedOrigins: [],
      redirectURLs: [],
      sessionsOnly: false,
      scopes: {},
      integrationOAuthAppId: null,
      requireCustomerApp: false,
      IntegrationAccount: [],
    })
  })

  it('POST /v1/link: the audit trail contains only the start of the link id, which is a capability', async () => {
    const { linkId } = expectCreated(await post())
    assert.deepEqual(await listAuditActions(t, linkId.slice(0, 8)), ['link.created'])
    const rows = await selectAuditEntries(t.database.read).selectAll().execute()
    assert.equal(JSON.stringify(rows).includes(linkId), false)
  })

  it('POST /v1/link: creates the link in the requested workspace, else that of the token, else the oldest', async () => {
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    assert.equal(expectCreated(await post({ workspaceId: second })).workspaceId, second)
    const bound = await t.createToken({ workspaceId: second })
    assert.equal(expectCreated(await post({}, bound)).workspaceId, second)
    assert.equal(expectCreated(await post({ workspaceId: null })).workspaceId, t.workspaceId)
  })

  describe('expiry', () => {
    for (const [input, canExpire, expiresIn] of [
      [{ expiresIn: 1 }, true, 1],
      [{ expiresIn: 31_536_000 }, true, 31_536_000],
      [{ expiresIn: 60, canExpire: true }, true, 60],
      [{ expiresIn: 60, canExpire: null }, true, 60],
      [{ expiresIn: 60, canExpire: false }, false, 0],
      [{ expiresIn: 60.0 }, true, 60],
      [{ expiresIn: 0 }, false, 0],
      [{ expiresIn: 0, canExpire: false }, false, 0],
      [{ expiresIn: null, canExpire: null }, false, 0],
      [{ canExpire: false }, false, 0],
    ] as const)
      it(`POST /v1/link: ${JSON.stringify(input)} results in canExpire ${canExpire} and expiresIn ${expiresIn}`, async () => {
        const link = expectCreated(await post(input))
        assert.deepEqual([link.canExpire, link.expiresIn], [canExpire, expiresIn])
      })

    for (const expiresIn of [-1, 0.5, 1.5, 31_536_001, 1e300, '60', true, []])
      it(`POST /v1/link: 400 for expiresIn ${JSON.stringify(expiresIn)}`, async () => {
        assert.deepEqual(await listErrorFields({ expiresIn }), ['expiresIn'])
      })

    it('POST /v1/link: 400 for canExpire without expiresIn', async () => {
      for (const input of [{}, { expiresIn: 0 }, { expiresIn: null }])
        assert.deepEqual(await listErrorFields({ canExpire: true, ...input }), ['expiresIn'])
      assert.deepEqual(await listErrorFields({ canExpire: 'yes' }), ['canExpire'])
    })
  })

  it('POST /v1/link: stores preferOAuth; null means false', async () => {
    assert.equal(expectCreated(await post({ preferOAuth: true })).preferOAuth, true)
    assert.equal(expectCreated(await post({ preferOAuth: null })).preferOAuth, false)
    assert.deepEqual(await listErrorFields({ preferOAuth: 1 }), ['preferOAuth'])
  })

  describe('category', () => {
    const getCategory = async (category: unknown) =>
      expectCreated(await post({ category })).category

    it('POST /v1/link: accepts categories as strings and objects, and removes duplicates', async () => {
      const input = [
        'ticketing',
        { key: 'TICKETING' },
        { name: 'Ticketing', more: 1 },
        { id: 'crm' },
        ' Developer tools',
      ]
      assert.deepEqual(await getCategory(input), [
        TICKETING,
        { key: 'CRM', name: 'CRM' },
        { key: 'DEVELOPER_TOOLS', name: 'Developer tools' },
      ])
    })

    it('POST /v1/link: category is [] if omitted, null or []', async () => {
      for (const category of [undefined, null, []])
        assert.deepEqual(await getCategory(category), [])
    })

    it('POST /v1/link: accepts custom categories of the workspace only while a definition uses them', async () => {
      assert.deepEqual(await listErrorFields({ category: ['MY_OWN'] }), ['category.0'])
      const type = { key: 'MY_OWN', name: 'Mine' }
      const { integrationDefinitionId } = await t.createDefinition({ integrationType: type })
      assert.deepEqual(await getCategory(['MY_OWN', { key: 'MY_OWN' }]), [type])
      const otherUser = await t.otherUser()
      expectError(await post({ category: ['MY_OWN'] }, otherUser.token), 'validation_failed')
      expectOk(await t.call('DELETE', `/v1/integration_definition/${integrationDefinitionId}`))
      assert.deepEqual(await listErrorFields({ category: ['MY_OWN'] }), ['category.0'])
    })

    it('POST /v1/link: 400 for each unknown category, listing the known ones', async () => {
      const { errors } = expectError(
        await post({ category: ['no such', 'CRM', {}, { key: 7 }] }),
        'validation_failed',
      )
      assert.deepEqual(Object.keys(errors), ['category.0', 'category.2', 'category.3'])
      assert.match(errors['category.2'][0].message, /HRIS.*OTHER/)
      assert.deepEqual(await listErrorFields({ category: 'CRM' }), ['category'])
      assert.deepEqual(await listErrorFields({ category: [1, null] }), ['category.0', 'category.1'])
      assert.deepEqual(await listErrorFields({ category: Array(51).fill('CRM') }), ['category'])
    })
  })

  it('POST /v1/link: stores the category along with a definition', async () => {
    const { integrationDefinitionId } = await t.createDefinition({ integrationType: 'CRM' })
    const link = expectCreated(await post({ integrationDefinitionId, category: ['TICKETING'] }))
    assert.deepEqual(link.category, [TICKETING])
    expectKeys(link, RESPONSE_KEYS.link)
  })

  it('POST /v1/link: 400 unknown_reference for a foreign, unknown or deleted definition, or one of another workspace', async () => {
    const otherUser = await t.otherUser()
    const foreign = await t.createDefinition({ token: otherUser.token })
    const second = expectCreated(await t.call('POST', '/v1/workspace', {})).workspaceId
    const otherWorkspaceDefinition = await t.createDefinition({ workspaceId: second })
    const deletedDefinition = await t.createDefinition()
    await t.call(
      'DELETE',
      `/v1/integration_definition/${deletedDefinition.integrationDefinitionId}`,
    )
    const before = await countRows(t, 'links')
    const messages = new Set<string>()
    for (const { integrationDefinitionId } of [
      foreign,
      otherWorkspaceDefinition,
      deletedDefinition,
    ]) {
      const { message, errors } = expectError(
        await post({ integrationDefinitionId }),
        'unknown_reference',
      )
      assert.deepEqual(Object.keys(errors), ['integrationDefinitionId'])
      messages.add(message)
    }
    for (const integrationDefinitionId of [`def_${'0'.repeat(26)}`, 'nonsense', ''])
      messages.add(
        expectError(await post({ integrationDefinitionId }), 'unknown_reference').message,
      )
    assert.equal(messages.size, 1)
    assert.equal(await countRows(t, 'links'), before)
  })

  it('POST /v1/link: 400 lists every missing, invalid or unknown field', async () => {
    expectError(await t.call('POST', '/v1/link', { body: {} }), 'validation_failed')
    const all = { linkName: 7, category: 'x', expiresIn: 'x', canExpire: 1, preferOAuth: 1 }
    const overrides = { workspaceId: 1, integrationDefinitionId: 1, linkId: 'lnk_0', expired: true }
    assert.deepEqual(
      await listErrorFields({ ...all, ...overrides }),
      Object.keys({ ...all, ...overrides }).sort(),
    )
    for (const linkName of ['', '\t', 'x'.repeat(201), null])
      assert.deepEqual(await listErrorFields({ linkName }), ['linkName'])
  })

  it('POST /v1/link: 403 for foreign and unknown workspaces alike', async () => {
    const { workspaceId } = await t.otherUser()
    for (const id of [workspaceId, `wsp_${'0'.repeat(26)}`, 'nonsense', ''])
      expectError(await post({ workspaceId: id }), 'workspace_not_accessible')
  })

  it('POST /v1/link: restricts a link to several definitions, by id or key, whatever their categories', async () => {
    const [first, second, third] = [
      await t.createDefinition(),
      await t.createDefinition(),
      await t.createDefinition(),
    ]
    const ids = [first.integrationDefinitionId, second.integrationDefinitionId]
    const references = [first.integrationDefinitionId, second.key, first.key]
    const link = expectCreated(
      await post({ integrationDefinitionIds: references, category: [TICKETING] }),
    )
    assert.deepEqual(link.integrationDefinitionIds, ids, 'each once')
    const { integrationDefinitions } = expectOk(await t.call('GET', `/v1/link/${link.linkId}`))
    const offered = integrationDefinitions.map(
      (each: { integrationDefinitionId: string }) => each.integrationDefinitionId,
    )
    assert.deepEqual(offered.toSorted(), ids.toSorted())
    const create = (integrationDefinitionId: string | undefined) =>
      t.call('POST', `/v1/integration_account/link/${link.linkId}`, {
        body: {
          integrationDefinitionId,
          integrationAccountName: 'a',
          authType: 'Api Key',
          config: { api_key: 'key_that_works' },
        },
      })
    expectError(await create(third.integrationDefinitionId), 'unknown_reference')
    expectError(await create(third.key), 'unknown_reference')
    const { body } = await create(second.key)
    assert.equal(body.integrationDefinitionId, second.integrationDefinitionId)
    assert.equal((await create(first.integrationDefinitionId)).status, 201)
  })

  it('POST /v1/link: names the definition that does not exist, and rejects both fields together', async () => {
    const { integrationDefinitionId, key } = await t.createDefinition()
    const unknown = await post({ integrationDefinitionIds: [key, 'none'] })
    const { errors } = expectError(unknown, 'unknown_reference')
    assert.deepEqual(Object.keys(errors), ['integrationDefinitionIds.1'])
    const both = { integrationDefinitionId, integrationDefinitionIds: [key] }
    assert.deepEqual(await listErrorFields(both), ['integrationDefinitionIds'])
    assert.deepEqual(await listErrorFields({ integrationDefinitionIds: [key, key] }), [
      'integrationDefinitionIds',
    ])
  })

  itRequiresScope(() => t, 'POST', '/v1/link', { scope: 'links:write', body: {} })
})
