import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AMPLE_BUDGETS } from '../../test/ample-budgets.ts'
import { miniBundle } from '../../test/mini-bundle.ts'
import { defineDesk, rightAnswers } from './test/desk.ts'
import { addresses, HOSTILE, skeleton } from './test/hostile-texts.ts'
import { type PageWorld, startPageWorld } from './test/page-world.ts'
import type { Shown } from './test/person.ts'

const HARMLESS = 'Plain words'

describe('texts of definitions, providers and workspaces', () => {
  let t: PageWorld
  let desk: Awaited<ReturnType<typeof defineDesk>>
  before(async () => {
    t = await startPageWorld({ failedCheckBudgets: AMPLE_BUDGETS })
    desk = await defineDesk(t)
    await t.define({ name: 'Other' })
  })
  after(() => t.close())

  it('are 120', () => assert.equal(new Set(HOSTILE).size, 120))

  it('stay text as names of a tool, its category and the workspace', async () => {
    const person = t.person()
    const shown = async (text: string, path: string) => {
      await rename(t, desk.definitionId, text)
      return [await person.get(path), await person.get(`${path}?integration=desk`)]
    }
    const path = await t.link()
    const plain = await shown(HARMLESS, path)
    assert.deepEqual(
      plain.map(({ state }) => state),
      ['picker', 'form'],
    )
    let place = path
    for (const [index, text] of HOSTILE.entries()) {
      if (index % 60 === 0) place = await t.link()
      const pages = await shown(text, place)
      pages.forEach((page, at) => {
        isAlike(page, plain[at], text)
      })
    }
    await rename(t, desk.definitionId, 'Desk')
  })

  it('stay text in every place of a form', async () => {
    const formOf = async (text: string) => {
      const made = await t.define({ code: miniBundle() })
      const definitionId = String(made.integrationDefinitionId)
      await respec(t, definitionId, hostileSpec(text))
      const page = await t.person().get(await t.link({ integrationDefinitionId: definitionId }))
      assert.equal(page.state, 'form')
      return page
    }
    const plain = await formOf(HARMLESS)
    for (const text of HOSTILE) isAlike(await formOf(text), plain, text)
  })

  it('stay text as names of fields and of ways, all at once', async () => {
    const made = await t.define({ code: miniBundle() })
    const definitionId = String(made.integrationDefinitionId)
    const fields = Object.fromEntries(HOSTILE.map((text) => [text, { type: 'string' }]))
    const ways = HOSTILE.map((text) => [text, { input_specification: { properties: fields } }])
    await respec(t, definitionId, { auth_specification: Object.fromEntries(ways) })
    const path = await t.link({ integrationDefinitionId: definitionId })
    const choice = await t.person().get(path)
    assert.equal(choice.state, 'chooseAuth')
    isHarmless(choice)
    assert.equal(choice.text.match(/<li /g)?.length, 120)
    const [way = ''] = HOSTILE
    const form = await t.person().get(`${path}?auth=${encodeURIComponent(way)}`)
    assert.equal(form.state, 'form')
    isHarmless(form)
    assert.equal(form.text.match(/ name="field\./g)?.length, 120)
  })

  it('stay text as the words of a provider about a key', async () => {
    const person = t.person()
    let path = ''
    const refusedWith = async (text: string, index: number) => {
      if (index % 20 === 0) path = await t.link({ integrationDefinitionId: desk.definitionId })
      const field = index % 2 === 0 ? { field: 'api_key' } : { field: text }
      desk.say({ status: false, error: text, code: 'wrong_host', hint: text, ...field })
      const page = await person.send(await person.get(path), rightAnswers(t))
      assert.equal(page.data('data-code'), 'wrong_host')
      return page
    }
    const plain = [await refusedWith(HARMLESS, 0), await refusedWith(HARMLESS, 1)]
    for (const [index, text] of HOSTILE.entries())
      isAlike(await refusedWith(text, index), plain[index % 2], text)
    desk.say({ status: true })
  })

  it('stay text in addresses', async () => {
    const person = t.person()
    let path = await t.link()
    const at = (text: string) => {
      const query = {
        accountIdentifier: text,
        q: 'desk',
        lang: text.slice(0, 35),
        theme: text,
        category: '',
      }
      return person.get(`${path}?${new URLSearchParams({ ...query, integration: 'desk' })}`)
    }
    const plain = await at(HARMLESS)
    for (const [index, text] of HOSTILE.entries()) {
      if (index % 100 === 99) path = await t.link()
      if (/\p{Cc}/u.test(text)) {
        const refused = await at(text)
        assert.equal(refused.state, 'wrongAddress', text)
        isHarmless(refused)
      } else isAlike(await at(text), plain, text)
      const none = await person.get(`${path}?${new URLSearchParams({ q: text.slice(0, 100) })}`)
      isHarmless(none)
    }
  })
})

function hostileSpec(text: string) {
  const words = { title: text, description: text, 'x-placeholder': text, pattern: text }
  return {
    auth_specification: {
      Key: {
        input_specification: {
          type: 'object',
          properties: {
            line: { type: 'string', default: text, 'x-help-url': text, format: text, ...words },
            area: { type: 'object', default: text, ...words },
            inner: { type: 'object', properties: { [text]: { title: text } }, title: text },
            plan: { oneOf: [{ const: text, title: text }], title: text },
            list: {
              enum: [text, 'b'],
              default: text,
              'x-labels': { [text]: text, b: text },
              ...words,
            },
            tick: { type: 'boolean', default: text, ...words },
            secret: { type: 'string', format: 'password', default: text, ...words },
          },
        },
      },
    },
  }
}

async function rename({ database, workspaceId }: PageWorld, definitionId: string, name: string) {
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

/** Past every judge of specs, under bytes of its own: what ways it has is read once for each. */
async function respec({ database }: PageWorld, definitionId: string, spec: unknown) {
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

/** The same tags with the same attributes as with harmless words, and nowhere else to go. */
function isAlike(page: Shown, plain: Shown | undefined, text: string): void {
  assert.equal(page.status, plain?.status, text)
  assert.deepEqual(skeleton(page.text), skeleton(plain?.text ?? ''), text)
  isHarmless(page)
}

function isHarmless({ text }: Shown): void {
  for (const url of addresses(text))
    assert.match(url, /^(?:#|\/(?!\/)|https:\/\/help\.desk\.example\/)/, url)
  assert.doesNotMatch(text, /<[^>]*\son\w+=/i)
  assert.doesNotMatch(text, /<(?:script|style)(?![^>]* nonce=)/)
  assert.doesNotMatch(text, /<(?:iframe|object|embed|base|img)/)
}
