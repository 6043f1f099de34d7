import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { againUrl } from './again-url.ts'

const given = (values: Record<string, string>) => new URLSearchParams(values)

describe('the way back from a page that cannot go on', () => {
  it('leads to the same place of the same link, without anything that was typed', () => {
    const sent = { lang: 'de', integration: 'desk', auth: 'Api Key', 'field.api_key': 'canary' }
    assert.equal(
      againUrl('page', 'lnk_1', given({ ...sent, visit: 'canary', attempt: 'a'.repeat(22) })),
      '/link/lnk_1?lang=de&integration=desk&auth=Api+Key',
    )
    assert.equal(againUrl('frame', 'lnk_1', given({})), '/link/frame/lnk_1')
  })

  it('leads nowhere else, whatever stands where the link should', () => {
    assert.equal(againUrl('page', '/evil.example', given({})), '/link/%2Fevil.example')
    for (const none of [undefined, '']) assert.equal(againUrl('page', none, given({})), undefined)
  })
})
