import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { created } from '../../../test/fixtures.ts'
import { type StubWorld, startStubWorld } from '../../connect/test/stub-world.ts'
import { defineDesk } from '../test/desk.ts'
import { type PageWorld, startPageWorld } from '../test/page-world.ts'
import { listen, type Shown } from '../test/person.ts'

const targets = ({ headers }: Shown) =>
  /form-action ([^;]*);/.exec(headers.get('content-security-policy') ?? '')?.[1]

describe('the forms of a page', () => {
  let keys: PageWorld
  let signIn: StubWorld
  before(async () => {
    keys = await startPageWorld()
    await defineDesk(keys)
    signIn = await startStubWorld()
  })
  after(async () => {
    await keys.close()
    await signIn.close()
  })

  it('lead to us alone where all that the link offers are forms of keys', async () => {
    const person = keys.person()
    const form = await person.get(await keys.link())
    assert.deepEqual([form.state, targets(form)], ['form', "'self'"])
    const failed = await person.send(form, { 'field.api_key': 'short' })
    assert.deepEqual([failed.state, targets(failed)], ['failed', "'self'"])
  })

  it('may lead to where one signs in, from every screen of such a link', async () => {
    const person = (await listen(signIn.app))()
    const body = { linkName: 'x', integrationDefinitionId: signIn.definitionId }
    const { linkId } = created(await signIn.call('POST', '/v1/link', { body }))
    const page = await person.get(`/link/${linkId}`)
    assert.equal(page.state, 'signIn')
    const own = new URL(signIn.origin.url).origin
    assert.match(
      targets(page) ?? '',
      /^'self' https: http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*/,
    )
    assert.ok(targets(page)?.endsWith(` ${own}`), targets(page))
  })
})
