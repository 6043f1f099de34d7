import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildRetryUrl } from './page-context.ts'

const toSearchParams = (values: Record<string, string>) => new URLSearchParams(values)

describe('retryUrl', () => {
  it('keeps the link and the selection, without entered values', () => {
    const query = { lang: 'de', integration: 'desk', auth: 'Api Key', 'field.api_key': 'canary' }
    assert.equal(
      buildRetryUrl(
        'page',
        'lnk_1',
        toSearchParams({ ...query, visit: 'canary', attempt: 'a'.repeat(22) }),
      ),
      '/link/lnk_1?lang=de&integration=desk&auth=Api+Key',
    )
    assert.equal(buildRetryUrl('frame', 'lnk_1', toSearchParams({})), '/link/frame/lnk_1')
  })

  it('never leads to another site, whatever the link ID contains', () => {
    assert.equal(
      buildRetryUrl('page', '/evil.example', toSearchParams({})),
      '/link/%2Fevil.example',
    )
    for (const missingLink of [undefined, ''])
      assert.equal(buildRetryUrl('page', missingLink, toSearchParams({})), undefined)
  })
})
