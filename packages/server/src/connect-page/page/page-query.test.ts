import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { retryUrl } from './page-query.ts'

const toSearchParams = (values: Record<string, string>) => new URLSearchParams(values)

describe('retryUrl', () => {
  it('keeps the link and the selection, without entered values', () => {
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

  it('never leads to another site, whatever the link ID contains', () => {
    assert.equal(retryUrl('page', '/evil.example', toSearchParams({})), '/link/%2Fevil.example')
    for (const missingLink of [undefined, ''])
      assert.equal(retryUrl('page', missingLink, toSearchParams({})), undefined)
  })
})
