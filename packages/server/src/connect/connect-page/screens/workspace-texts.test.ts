import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import type { PageTestContext } from '../test/page-test-context.ts'

describe('The appearance of a workspace', () => {
  let t: PageTestContext
  let deskId: string
  before(async () => {
    t = await testContext({ pages: true })
    deskId = (await defineDesk(t)).definitionId
    await t.createDefinition({ name: 'Other' })
  })
  after(() => t.close())

  const setTheme = async (theme: object) => {
    const response = await t.call('POST', `/v1/workspace/${t.workspaceId}`, { body: { theme } })
    assert.deepEqual(expectOk(response).theme, theme)
  }
  const load = async (language = 'en') => t.visitor().get(`${await t.link()}?lang=${language}`)

  it('can leave out "Secured by Linchpin"', async () => {
    assert.match((await load()).text, /Secured by Linchpin/)
    await setTheme({ showFooter: false })
    assert.doesNotMatch((await load()).text, /Secured by/)
    assert.doesNotMatch(
      (await t.visitor().get(`${await t.link()}?integration=desk`)).text,
      /Secured by/,
    )
  })

  it('can round the corners, fields and buttons in proportion', async () => {
    assert.doesNotMatch((await load()).text, /--card-radius/)
    await setTheme({ cornerRadius: 28 })
    assert.match((await load()).text, /:root\{--card-radius:28px;--radius:20px\}/)
    await setTheme({ cornerRadius: 0 })
    assert.match((await load()).text, /:root\{--card-radius:0px;--radius:0px\}/)
  })

  it('has an introduction and a contact in the language of the page, else the default', async () => {
    const introduction = { default: 'Choose your <b>ledger</b>.', de: 'Wählen Sie Ihr Buch.' }
    await setTheme({ texts: { introduction, support: { default: 'Questions? a@acme.example' } } })
    const { text } = await load()
    assert.match(text, /<p><bdi>Choose your &#60;b&#62;ledger&#60;\/b&#62;\.<\/bdi><\/p>/)
    assert.doesNotMatch(text, /Nothing is shared until you connect it/)
    assert.match(text, /<p class="support"><bdi>Questions\? a@acme\.example<\/bdi><\/p>/)
    assert.match((await load('de')).text, /<bdi>Wählen Sie Ihr Buch\.<\/bdi>/)
    assert.match((await load('ar')).text, /<bdi>Choose your/)
    const form = await t.visitor().get(`${await t.link()}?integration=desk`)
    assert.match(form.text, /Questions\?/)
    assert.doesNotMatch(form.text, /Choose your/)
  })

  it('has a text on the screen that says what is connected', async () => {
    await setTheme({ texts: { success: { default: 'Your data arrives <soon>.' } } })
    const visitor = t.visitor()
    const form = await visitor.get(await t.link({ integrationDefinitionId: deskId }))
    assert.doesNotMatch(form.text, /Your data arrives/)
    const submitted = await visitor.submit(form, createValidFormValues(t))
    const page = await visitor.get(submitted.location ?? '')
    assert.equal(page.state, 'connected')
    assert.match(page.text, /<p><bdi>Your data arrives &#60;soon&#62;\.<\/bdi><\/p>/)
  })
})
