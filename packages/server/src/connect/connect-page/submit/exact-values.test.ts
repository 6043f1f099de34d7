import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { testContext } from '../../../../test/test-context.ts'
import { type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'

const MARKED = 'a\u202eb\u200fc\u2066'

describe('accountIdentifier in a URL', () => {
  let t: PageTestContext
  let path: string
  before(async () => {
    t = await testContext({ pages: true })
    const spec = { input_specification: { type: 'object', properties: {} } }
    const otherInputs = {
      input_specification: {
        type: 'object',
        properties: { mode: { default: 'told' }, base_url: { default: t.stubServer.url } },
      },
    }
    const code = createMiniBundle({
      auth_specification: { [`Key ${MARKED}`]: spec, Other: spec },
      other_inputs: otherInputs,
    })
    t.stubServer.serve('/told', (_request, response) => response.end('{"status":true}'))
    const created = await t.createDefinition({ name: 'Desk', code })
    path = await t.link({ integrationDefinitionId: created.integrationDefinitionId })
  })
  after(() => t.close())

  for (const accountIdentifier of [
    MARKED,
    ' a  b ',
    'é\u0301 %2B+&=#?',
    '\u{1f680}"<\'>',
    '\u200e',
  ])
    it(`is stored byte for byte: ${JSON.stringify(accountIdentifier)}`, async () => {
      const visitor = t.visitor()
      const query = { accountIdentifier, redirectURL: RETURN_URL, auth: `Key ${MARKED}` }
      const form = await visitor.get(`${path}?${new URLSearchParams(query)}`)
      const submitted = await visitor.submit(form)
      assert.equal(submitted.status, 303, submitted.text)
      const page = await visitor.get(submitted.location ?? '')
      assert.equal(
        JSON.parse(page.getData('data-account') ?? '').accountIdentifier,
        accountIdentifier,
      )
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
