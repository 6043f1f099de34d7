import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, it } from 'node:test'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { buildVersion, createSmallCatalogue } from '../../../test/small-catalogue.ts'
import {
  expectCreated,
  expectError,
  expectKeys,
  expectOk,
  listAuditActions,
  RESPONSE_KEYS,
  testContext,
} from '../../../test/test-context.ts'
import type { PageTestContext } from '../../connect/connect-page/test/page-test-context.ts'
import { createPng, createPngChunk, createWebp } from './test/images.ts'

const DEFINITION = '/v1/integration_definition'

describeOnBothDatabases(
  'POST /v1/integration_definition/{integrationDefinitionId}/icon',
  defineTests,
)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: PageTestContext
  let ownId: string
  before(async () => {
    const catalogue = await createSmallCatalogue([await buildVersion('desk', '1.0.0')])
    const url = await newUrl()
    t = await testContext({ pages: true, catalogue, ...(url && { url }) })
    ownId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const set = (id: string, icon: unknown, more: object = {}) =>
    t.call('POST', `${DEFINITION}/${id}/icon`, { body: { icon, ...more } })
  const get = async (id: string, workspaceId = t.workspaceId) =>
    expectOk(await t.call('GET', `${DEFINITION}/${id}?workspaceId=${workspaceId}`))
  const getFile = (icon: string) => t.app.inject(new URL(icon).pathname)

  it('200: the icon is served under its hash, with a strict type, and shown on the page', async () => {
    const png = createPng(64, 64)
    const definition = expectOk(await set(ownId, png.toString('base64')))
    expectKeys(definition, RESPONSE_KEYS.definition)
    assert.match(definition.icon, new RegExp(`^http.*/icons/${hash('sha256', png)}\\.png$`))
    assert.equal((await get(ownId)).icon, definition.icon)
    const { rawPayload, headers } = await getFile(definition.icon)
    assert.deepEqual(rawPayload, png)
    assert.equal(headers['content-type'], 'image/png')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    const link = await t.link({ integrationDefinitionId: ownId })
    const { text } = await t.visitor().get(link)
    assert.ok(text.includes(`<img src="${new URL(definition.icon).pathname}"`))
    assert.deepEqual(await listAuditActions(t, ownId), [
      'definition.created',
      'definition.icon_changed',
    ])
  })

  it('200: replaces the icon, and null removes it; its URL then returns 404', async () => {
    const { integrationDefinitionId: id, icon: defaultIcon } = await t.createDefinition()
    const first = expectOk(await set(id, createPng(16, 16).toString('base64'))).icon
    const webp = createWebp('VP8L', 512, 512).toString('base64')
    const second = expectOk(await set(id, webp)).icon
    assert.match(second, /\.webp$/)
    assert.equal((await getFile(second)).headers['content-type'], 'image/webp')
    assert.equal((await getFile(first)).statusCode, 404)
    assert.equal(expectOk(await set(id, null)).icon, defaultIcon)
    assert.equal(expectOk(await set(id, null)).icon, defaultIcon)
    assert.equal((await getFile(second)).statusCode, 404)
    for (const path of ['/icons/x.png', `/icons/${'0'.repeat(64)}.svg`, '/icons/..%2fa.png'])
      assert.equal((await t.app.inject(path)).statusCode, 404)
  })

  it('200: the icon of a catalogue definition changes in one workspace only', async () => {
    const { workspaceId } = expectCreated(await t.call('POST', '/v1/workspace', { body: {} }))
    const all = expectOk(await t.call('GET', DEFINITION))
    const id = all.find(({ key }: { key: string }) => key === 'desk').integrationDefinitionId
    const before = (await get(id)).icon
    const icon = createPng(32, 32).toString('base64')
    const changed = expectOk(await set(id, icon, { workspaceId }))
    assert.equal(changed.workspaceId, workspaceId)
    assert.notEqual(changed.icon, before)
    assert.equal((await get(id)).icon, before)
    assert.equal((await get(id, workspaceId)).icon, changed.icon)
    expectOk(await t.call('DELETE', `/v1/workspace/${workspaceId}`))
  })

  it('400: anything but a small still PNG or WebP image', async () => {
    const png = createPng(64, 64)
    const padding = createPngChunk('teXt', Buffer.alloc(32_800))
    const limit = 32 * 1024 - png.length - 12
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
    const images: Readonly<Record<string, Buffer>> = {
      svg: Buffer.from(svg),
      jpeg: Buffer.from('\xff\xd8\xff\xe0'.padEnd(64), 'latin1'),
      appended: Buffer.concat([png, Buffer.from(svg)]),
      animated: createPng(64, 64, [createPngChunk('acTL', Buffer.alloc(8))]),
      large: createPng(64, 64, [padding]),
      tiny: createPng(15, 64),
      wide: createWebp('VP8X', 513, 64),
    }
    for (const [name, image] of Object.entries(images)) {
      const response = await set(ownId, image.toString('base64'))
      expectError(response, 'validation_failed')
      assert.ok(response.body?.errors.icon, name)
    }
    const fullSize = createPng(64, 64, [createPngChunk('teXt', Buffer.alloc(limit))])
    assert.equal(fullSize.length, 32 * 1024)
    expectOk(await set(ownId, fullSize.toString('base64')))
    for (const icon of ['%%%', ` ${png.toString('base64')}`, png.toString('base64url'), '', 7])
      expectError(await set(ownId, icon), 'validation_failed')
    expectError(
      await t.call('POST', `${DEFINITION}/${ownId}/icon`, { body: {} }),
      'validation_failed',
    )
  })

  it('404: for an unknown and for a deleted definition', async () => {
    const { integrationDefinitionId: id } = await t.createDefinition()
    expectOk(await t.call('DELETE', `${DEFINITION}/${id}`))
    for (const unknown of [id, 'def_unknown'])
      expectError(await set(unknown, null), 'integration_definition_not_found')
  })

  itRequiresScope(
    () => t,
    'POST',
    () => `${DEFINITION}/${ownId}/icon`,
    {
      scope: 'definitions:write',
      body: { icon: null },
    },
  )
}
