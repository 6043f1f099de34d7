import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../test/it-requires-scope.ts'
import {
  countRows,
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  ISO_TIMESTAMP,
  listAuditActions,
  RESPONSE_KEYS,
  startTestContext,
  type TestContext,
} from '../../test/test-context.ts'

const TICKETING = { key: 'TICKETING', name: 'Ticketing' }

describe('POST /v1/link', () => {
  let t: TestContext
  before(async () => {
    t = await startTestContext()
  })
  after(() => t.close())

  const post = (more: object = {}, token = t.token) =>
    t.call('POST', '/v1/link', { body: { linkName: 'Onboarding', ...more }, token })
  const errorFields = async (more: object) =>
    Object.keys(expectError(await post(more), 'validation_failed').errors).sort()

  it('201: answers the link with exactly the fields of the interface', async () => {
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
      maxAccounts: null,
      maxAccountsPerIdentifier: null,
      allowedOrigins: [],
      redirectURLs: [],
      IntegrationAccount: [],
    })
  })

  it('stands in the audit trail by the start of its id only: the id is a capability', async () => {
    const { linkId } = expectCreated(await post())
    assert.deepEqual(await listAuditActions(t, linkId.slice(0, 8)), ['link.created'])
    const rows = await t.database.read.selectFrom('audit_events').selectAll().execute()
    assert.equal(JSON.stringify(rows).includes(linkId), false)
  })

  it('makes it in the workspace named, else in the one of the token, else in the oldest', async () => {
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
      it(`of ${JSON.stringify(input)} is ${canExpire} and ${expiresIn}`, async () => {
        const link = expectCreated(await post(input))
        assert.deepEqual([link.canExpire, link.expiresIn], [canExpire, expiresIn])
      })

    for (const expiresIn of [-1, 0.5, 1.5, 31_536_001, 1e300, '60', true, []])
      it(`400: refuses ${JSON.stringify(expiresIn)} seconds`, async () => {
        assert.deepEqual(await errorFields({ expiresIn }), ['expiresIn'])
      })

    it('400: canExpire needs expiresIn', async () => {
      for (const input of [{}, { expiresIn: 0 }, { expiresIn: null }])
        assert.deepEqual(await errorFields({ canExpire: true, ...input }), ['expiresIn'])
      assert.deepEqual(await errorFields({ canExpire: 'yes' }), ['canExpire'])
    })
  })

  it('keeps preferOAuth; null means false', async () => {
    assert.equal(expectCreated(await post({ preferOAuth: true })).preferOAuth, true)
    assert.equal(expectCreated(await post({ preferOAuth: null })).preferOAuth, false)
    assert.deepEqual(await errorFields({ preferOAuth: 1 }), ['preferOAuth'])
  })

  describe('category', () => {
    const categories = async (category: unknown) => expectCreated(await post({ category })).category

    it('takes strings and objects in any of their forms, and drops what is named twice', async () => {
      const input = [
        'ticketing',
        { key: 'TICKETING' },
        { name: 'Ticketing', more: 1 },
        { id: 'crm' },
        ' Developer tools',
      ]
      assert.deepEqual(await categories(input), [
        TICKETING,
        { key: 'CRM', name: 'CRM' },
        { key: 'DEVELOPER_TOOLS', name: 'Developer tools' },
      ])
    })

    it('absent, null and [] are []', async () => {
      for (const category of [undefined, null, []]) assert.deepEqual(await categories(category), [])
    })

    it('knows the types of this workspace, and only while a definition has them', async () => {
      assert.deepEqual(await errorFields({ category: ['MY_OWN'] }), ['category.0'])
      const type = { key: 'MY_OWN', name: 'Mine' }
      const { integrationDefinitionId } = await t.createDefinition({ integrationType: type })
      assert.deepEqual(await categories(['MY_OWN', { key: 'MY_OWN' }]), [type])
      const otherUser = await t.otherUser()
      expectError(await post({ category: ['MY_OWN'] }, otherUser.token), 'validation_failed')
      expectOk(await t.call('DELETE', `/v1/integration_definition/${integrationDefinitionId}`))
      assert.deepEqual(await errorFields({ category: ['MY_OWN'] }), ['category.0'])
    })

    it('400: names each that is none, and lists the known ones', async () => {
      const { errors } = expectError(
        await post({ category: ['no such', 'CRM', {}, { key: 7 }] }),
        'validation_failed',
      )
      assert.deepEqual(Object.keys(errors), ['category.0', 'category.2', 'category.3'])
      assert.match(errors['category.2'][0].message, /HRIS.*OTHER/)
      assert.deepEqual(await errorFields({ category: 'CRM' }), ['category'])
      assert.deepEqual(await errorFields({ category: [1, null] }), ['category.0', 'category.1'])
      assert.deepEqual(await errorFields({ category: Array(51).fill('CRM') }), ['category'])
    })
  })

  it('a definition and a category may both be given: the category is kept', async () => {
    const { integrationDefinitionId } = await t.createDefinition({ integrationType: 'CRM' })
    const link = expectCreated(await post({ integrationDefinitionId, category: ['TICKETING'] }))
    assert.deepEqual(link.category, [TICKETING])
    expectKeys(link, RESPONSE_KEYS.link)
  })

  it('400 unknown_reference: a definition that is foreign, unknown, deleted or of another workspace', async () => {
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

  it('400: names every field that is missing, wrong or unknown', async () => {
    expectError(await t.call('POST', '/v1/link', { body: {} }), 'validation_failed')
    const all = { linkName: 7, category: 'x', expiresIn: 'x', canExpire: 1, preferOAuth: 1 }
    const more = { workspaceId: 1, integrationDefinitionId: 1, linkId: 'lnk_0', expired: true }
    assert.deepEqual(
      await errorFields({ ...all, ...more }),
      Object.keys({ ...all, ...more }).sort(),
    )
    for (const linkName of ['', '\t', 'x'.repeat(201), null])
      assert.deepEqual(await errorFields({ linkName }), ['linkName'])
  })

  it('403: does not tell a foreign workspace from one that does not exist', async () => {
    const { workspaceId } = await t.otherUser()
    for (const id of [workspaceId, `wsp_${'0'.repeat(26)}`, 'nonsense', ''])
      expectError(await post({ workspaceId: id }), 'workspace_not_accessible')
  })

  itRequiresScope(() => t, 'POST', '/v1/link', { scope: 'links:write', body: {} })
})
