import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../test/mini-bundle.ts'
import { testContext } from '../../../test/test-context.ts'
import { UNLIMITED_BUDGETS } from '../../../test/unlimited-budgets.ts'
import type { DefinitionId } from '../../integrations/definitions/definition.ts'
import { createValidFormValues, defineDesk } from './test/desk.ts'
import { getTagSkeleton, getUrls, HOSTILE } from './test/hostile-texts.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import type { FetchedPage } from './test/test-visitor.ts'

const HARMLESS_TEXT = 'Plain words'

describe('Hostile texts of definitions, providers and workspaces', () => {
  let t: PageTestContext
  let desk: Awaited<ReturnType<typeof defineDesk>>
  before(async () => {
    t = await testContext({ pages: true, failedCheckBudgets: UNLIMITED_BUDGETS })
    desk = await defineDesk(t)
    await t.createDefinition({ name: 'Other' })
  })
  after(() => t.close())

  it('there are 120 of them', () => assert.equal(new Set(HOSTILE).size, 120))

  it('are escaped as names of an integration, its category and the workspace', async () => {
    const visitor = t.visitor()
    const loadPages = async (text: string, path: string) => {
      await rename(t, desk.definitionId, text)
      return [await visitor.get(path), await visitor.get(`${path}?integration=desk`)]
    }
    const path = await t.link()
    const baseline = await loadPages(HARMLESS_TEXT, path)
    assert.deepEqual(
      baseline.map(({ state }) => state),
      ['picker', 'form'],
    )
    let linkPath = path
    for (const [index, text] of HOSTILE.entries()) {
      if (index % 60 === 0) linkPath = await t.link()
      const pages = await loadPages(text, linkPath)
      pages.forEach((page, at) => {
        assertSameTags(page, baseline[at], text)
      })
    }
    await rename(t, desk.definitionId, 'Desk')
  })

  it('are escaped in every part of a form', async () => {
    const loadForm = async (text: string) => {
      const { integrationDefinitionId } = await t.createDefinition({ code: createMiniBundle() })
      await replaceSpec(t, integrationDefinitionId, createHostileSpec(text))
      const page = await t.visitor().get(await t.link({ integrationDefinitionId }))
      assert.equal(page.state, 'form')
      return page
    }
    const baseline = await loadForm(HARMLESS_TEXT)
    for (const text of HOSTILE) assertSameTags(await loadForm(text), baseline, text)
  })

  it('are escaped as names of fields and auth methods', async () => {
    const definition = await t.createDefinition({ code: createMiniBundle() })
    const definitionId = definition.integrationDefinitionId
    const fields = Object.fromEntries(HOSTILE.map((text) => [text, { type: 'string' }]))
    const authMethods = HOSTILE.map((text) => [
      text,
      { input_specification: { properties: fields } },
    ])
    await replaceSpec(t, definitionId, { auth_specification: Object.fromEntries(authMethods) })
    const path = await t.link({ integrationDefinitionId: definitionId })
    const choice = await t.visitor().get(path)
    assert.equal(choice.state, 'chooseAuth')
    assertHarmless(choice)
    assert.equal(choice.text.match(/<li /g)?.length, 120)
    const [authMethod = ''] = HOSTILE
    const form = await t.visitor().get(`${path}?auth=${encodeURIComponent(authMethod)}`)
    assert.equal(form.state, 'form')
    assertHarmless(form)
    assert.equal(form.text.match(/ name="field\./g)?.length, 120)
  })

  it("are escaped as a provider's message about a key", async () => {
    const visitor = t.visitor()
    let path = ''
    const submitRejected = async (text: string, index: number) => {
      if (index % 20 === 0) path = await t.link({ integrationDefinitionId: desk.definitionId })
      const field = index % 2 === 0 ? { field: 'api_key' } : { field: text }
      desk.setCheckResponse({
        status: false,
        error: text,
        code: 'wrong_host',
        hint: text,
        ...field,
      })
      const page = await visitor.submit(await visitor.get(path), createValidFormValues(t))
      assert.equal(page.getData('data-code'), 'wrong_host')
      return page
    }
    const baseline = [
      await submitRejected(HARMLESS_TEXT, 0),
      await submitRejected(HARMLESS_TEXT, 1),
    ]
    for (const [index, text] of HOSTILE.entries())
      assertSameTags(await submitRejected(text, index), baseline[index % 2], text)
    desk.setCheckResponse({ status: true })
  })

  it('are escaped in URLs', async () => {
    const visitor = t.visitor()
    let path = await t.link()
    const loadWithText = (text: string) => {
      const query = {
        accountIdentifier: text,
        q: 'desk',
        lang: text.slice(0, 35),
        theme: text,
        category: '',
      }
      return visitor.get(`${path}?${new URLSearchParams({ ...query, integration: 'desk' })}`)
    }
    const baseline = await loadWithText(HARMLESS_TEXT)
    for (const [index, text] of HOSTILE.entries()) {
      if (index % 100 === 99) path = await t.link()
      if (/\p{Cc}/u.test(text)) {
        const rejectedPage = await loadWithText(text)
        assert.equal(rejectedPage.state, 'wrongAddress', text)
        assertHarmless(rejectedPage)
      } else assertSameTags(await loadWithText(text), baseline, text)
      const emptyResult = await visitor.get(
        `${path}?${new URLSearchParams({ q: text.slice(0, 100) })}`,
      )
      assertHarmless(emptyResult)
    }
  })
})

function createHostileSpec(text: string) {
  const own = { title: text, description: text, 'x-placeholder': text }
  const translated = { ...own, 'x-labels': { [text]: text, b: text, a: text } }
  const texts = { ...own, pattern: text, 'x-i18n': { en: translated, [text]: translated } }
  return {
    auth_specification: {
      Key: {
        input_specification: {
          type: 'object',
          properties: {
            line: { type: 'string', default: text, 'x-help-url': text, format: text, ...texts },
            area: { type: 'object', default: text, ...texts },
            inner: { type: 'object', properties: { [text]: { title: text } }, title: text },
            plan: { oneOf: [{ const: text, title: text }], title: text },
            list: {
              enum: [text, 'b'],
              default: text,
              'x-labels': { [text]: text, b: text },
              ...texts,
            },
            tick: { type: 'boolean', default: text, ...texts },
            secret: { type: 'string', format: 'password', default: text, ...texts },
          },
        },
      },
    },
  }
}

async function rename(
  { database, workspaceId }: PageTestContext,
  definitionId: DefinitionId,
  name: string,
) {
  await database.transaction(async (trx) => {
    const change = { name, type_key: 'OWN', type_name: name }
    await trx
      .updateTable('definitions')
      .set(change)
      .where('definition_id', '=', definitionId)
      .execute()
    await trx
      .updateTable('workspaces')
      .set({ name })
      .where('workspace_id', '=', workspaceId)
      .execute()
  })
}

/** Stores a spec without validation, under a new hash, because auth methods are cached per hash. */
async function replaceSpec(
  { database }: PageTestContext,
  definitionId: DefinitionId,
  spec: unknown,
) {
  await database.transaction(async (trx) => {
    const sha256 = crypto.randomUUID()
    const bundle = { sha256, code: new Uint8Array(1), size: 1, created_at: 0 }
    await trx.insertInto('bundles').values(bundle).execute()
    await trx
      .updateTable('definitions')
      .set({ spec: JSON.stringify(spec), bundle_sha256: sha256 })
      .where('definition_id', '=', definitionId)
      .execute()
  })
}

/** Asserts that the page has the same tags and attributes as with harmless words, and no other links. */
function assertSameTags(page: FetchedPage, baseline: FetchedPage | undefined, text: string): void {
  assert.equal(page.status, baseline?.status, text)
  assert.deepEqual(getTagSkeleton(page.text), getTagSkeleton(baseline?.text ?? ''), text)
  assertHarmless(page)
}

function assertHarmless({ text }: FetchedPage): void {
  for (const url of getUrls(text))
    assert.match(url, /^(?:#|\/(?!\/)|https:\/\/help\.desk\.example\/)/, url)
  assert.doesNotMatch(text, /<[^>]*\son\w+=/i)
  assert.doesNotMatch(text, /<(?:script|style)(?![^>]* nonce=)/)
  assert.doesNotMatch(text, /<(?:iframe|object|embed|base|img)/)
}
