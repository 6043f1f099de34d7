import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NOT_ACCEPTED } from '../../account/check/not-accepted.ts'
import { saidWords } from './said-words.ts'

describe('what an integration says to people', () => {
  it('is its hint, else its error', () => {
    assert.equal(saidWords({ error: 'no', hint: 'Do this.' }), 'Do this.')
    assert.equal(saidWords({ error: ' Your plan has no access. ' }), 'Your plan has no access.')
    for (const words of ['Error-prone keys are refused.', 'Éxito: no', 'Enter the EU region', '40'])
      assert.equal(saidWords({ error: words }), words)
  })

  it('is nothing when it has no word for them', () => {
    for (const words of [
      ...['', ' ', NOT_ACCEPTED, 'Request failed with status code 401', 'Network Error'],
      ...['AxiosError: x', 'TypeError: fetch failed', 'getaddrinfo ENOTFOUND api.example.com'],
      ...['{"message":"Unauthorized"}', '<html>', '[object Object]', '401', 'undefined'],
    ])
      assert.equal(saidWords({ error: words }), undefined, words)
  })
})
