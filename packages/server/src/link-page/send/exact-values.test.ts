import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { miniBundle } from '../../../test/mini-bundle.ts'
import { HOME, type PageWorld, startPageWorld } from '../test/page-world.ts'

const MARKED = 'a\u202eb\u200fc\u2066'

describe('what stands in an address', () => {
  let t: PageWorld
  let path: string
  before(async () => {
    t = await startPageWorld()
    const spec = { input_specification: { type: 'object', properties: {} } }
    const told = {
      input_specification: {
        type: 'object',
        properties: { mode: { default: 'told' }, base_url: { default: t.origin.url } },
      },
    }
    const code = miniBundle({
      auth_specification: { [`Key ${MARKED}`]: spec, Other: spec },
      other_inputs: told,
    })
    t.origin.serve('/told', (_request, response) => response.end('{"status":true}'))
    const made = await t.define({ name: 'Desk', code })
    path = await t.link({ integrationDefinitionId: made.integrationDefinitionId })
  })
  after(() => t.close())

  for (const accountIdentifier of [
    MARKED,
    ' a  b ',
    'é\u0301 %2B+&=#?',
    '\u{1f680}"<\'>',
    '\u200e',
  ])
    it(`arrives byte for byte: ${JSON.stringify(accountIdentifier)}`, async () => {
      const person = t.person()
      const query = { accountIdentifier, redirectURL: HOME, auth: `Key ${MARKED}` }
      const form = await person.get(`${path}?${new URLSearchParams(query)}`)
      const sent = await person.send(form)
      assert.equal(sent.status, 303, sent.text)
      const page = await person.get(sent.location ?? '')
      assert.equal(JSON.parse(page.data('data-account') ?? '').accountIdentifier, accountIdentifier)
      const rows = await t.database.read
        .selectFrom('accounts')
        .select(['account_identifier', 'auth_type'])
        .where('account_identifier', '=', accountIdentifier)
        .execute()
      assert.deepEqual(
        rows.map((row) => [row.account_identifier, row.auth_type]),
        [[accountIdentifier, `Key ${MARKED}`]],
      )
    })
})
