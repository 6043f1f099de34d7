import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { retryUrl } from './retry-url.ts'

const toSearchParams = (values: Record<string, string>) => new URLSearchParams(values)

describe('the way back from a page that cannot go on', () => {
  it('leads to the same place of the same link, without anything that was typed', () => {
    const query = { lang: 'de', integration: 'desk', auth: 'Api Key', 'field.api_key': 'canary' }
    assert.equal(
      retryUrl(
        'page',
        'lnk_1',
        toSearchParams({ ...query, visit: 'canary', attempt: 'a'.repeat(22) }),
      ),
      '/link/lnk_1?lang=de&integration=desk&auth=Api+Key',
    )
    assert.equal(retryUrl('frame', 'lnk_1', toSearchParams({})), '/link/frame/lnk_1')
  })

  it('leads nowhere else, whatever stands where the link should', () => {
    assert.equal(retryUrl('page', '/evil.example', toSearchParams({})), '/link/%2Fevil.example')
    for (const missingLink of [undefined, ''])
      assert.equal(retryUrl('page', missingLink, toSearchParams({})), undefined)
  })
})
