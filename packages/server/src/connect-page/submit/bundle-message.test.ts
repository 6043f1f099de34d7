import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DEFAULT_REJECTION_MESSAGE } from '../../accounts/verification/run-check.ts'
import { bundleMessage } from './bundle-message.ts'

describe('bundleMessage', () => {
  it('returns the hint, else the error', () => {
    assert.equal(bundleMessage({ error: 'no', hint: 'Do this.' }), 'Do this.')
    assert.equal(bundleMessage({ error: ' Your plan has no access. ' }), 'Your plan has no access.')
    for (const text of ['Error-prone keys are refused.', 'Éxito: no', 'Enter the EU region', '40'])
      assert.equal(bundleMessage({ error: text }), text)
  })

  it('returns undefined for technical messages', () => {
    for (const text of [
      ...[
        '',
        ' ',
        DEFAULT_REJECTION_MESSAGE,
        'Request failed with status code 401',
        'Network Error',
      ],
      ...['AxiosError: x', 'TypeError: fetch failed', 'getaddrinfo ENOTFOUND api.example.com'],
      ...['{"message":"Unauthorized"}', '<html>', '[object Object]', '401', 'undefined'],
    ])
      assert.equal(bundleMessage({ error: text }), undefined, text)
  })
})
