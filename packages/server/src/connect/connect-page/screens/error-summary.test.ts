import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getMessages, LANGUAGES } from '../../../platform/i18n/language.ts'
import { getFirstSentence } from './render-fields.ts'

const NAMES = { tool: 'A.B. Desk', workspace: 'N. W.' }

describe('firstSentence', () => {
  for (const language of LANGUAGES)
    it(`splits every failure message in ${language} after its first sentence, never inside a name`, () => {
      for (const sentence of Object.values(getMessages(language).failures)) {
        const text = sentence(NAMES)
        const { head, rest } = getFirstSentence(text)
        assert.equal(`${head}${rest}`, String(text))
        assert.match(String(head), /[.。]$/)
        assert.ok(String(rest).length > 0, String(text))
        assert.doesNotMatch(String(head), /N\.$|A\.B\.$/)
      }
    })

  it('does not split a single sentence', () => {
    assert.deepEqual(getFirstSentence('Check it'), { head: 'Check it', rest: '' })
    const only = getMessages('en').failures.link_revoked({ tool: '', workspace: 'x' })
    assert.equal(String(getFirstSentence(only).rest), ' Ask for a new one.')
  })
})
