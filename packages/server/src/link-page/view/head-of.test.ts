import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../../page/language.ts'
import { wordsOf } from '../../page/words/words-of.ts'
import { headOf } from './head-of.ts'

const NAMES = { tool: 'A.B. Desk', workspace: 'N. W.' }

describe('headOf', () => {
  for (const language of LANGUAGES)
    it(`sets the first sentence of every failure apart in ${language}, and never cuts a name`, () => {
      for (const sentence of Object.values(wordsOf(language).failures)) {
        const text = sentence(NAMES)
        const { head, rest } = headOf(text)
        assert.equal(`${head}${rest}`, String(text))
        assert.match(String(head), /[.。]$/)
        assert.ok(String(rest).length > 0, String(text))
        assert.doesNotMatch(String(head), /N\.$|A\.B\.$/)
      }
    })

  it('leaves one sentence whole', () => {
    assert.deepEqual(headOf('Check it'), { head: 'Check it', rest: '' })
    const only = wordsOf('en').failures.link_revoked({ tool: '', workspace: 'x' })
    assert.equal(String(headOf(only).rest), ' Ask for a new one.')
  })
})
