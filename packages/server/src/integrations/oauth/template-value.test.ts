// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  fillHeaderTemplate,
  fillPlaceholders,
  requireTemplateValue,
  TemplateError,
} from './template.ts'

describe('A value of a template', () => {
  const limits = [
    ['url', 2_048],
    ['parameter', 16_384],
    ['header', 32_768],
  ] as const
  for (const [use, limit] of limits)
    it(`has at most ${limit} characters in a ${use}, and the error says so`, () => {
      assert.equal(requireTemplateValue({ a: 'x'.repeat(limit) }, 'a', use).length, limit)
      assert.throws(() => requireTemplateValue({ a: 'x'.repeat(limit + 1) }, 'a', use), {
        name: 'TemplateError',
        message: `a is too long for a ${use === 'url' ? 'URL' : use}: at most ${limit} characters.`,
      })
    })

  it('has an error of its own for each problem, which never contains the value', () => {
    const messages = [undefined, null, '', {}, [], 'a\nSECRET', 'SECRET'.repeat(10_000)].map(
      (value) => {
        try {
          return fillHeaderTemplate('${a}', { a: value })
        } catch (error) {
          assert.ok(error instanceof TemplateError)
          return error.message
        }
      },
    )
    const required = 'a is required.'
    const type = 'a must be a string, a number or a boolean.'
    assert.deepEqual(messages.slice(0, 5), [required, required, required, type, type])
    assert.equal(new Set(messages).size, 4)
    assert.doesNotMatch(messages.join(), /SECRET/)
  })

  it('keeps every character of a parameter, but no control characters', () => {
    assert.equal(fillPlaceholders('<${a}>', { a: ' \u00e9\u20ac"&= ' }), '< \u00e9\u20ac"&= >')
    for (const a of ['a\n', '\u0085', '\ud800'])
      assert.throws(() => fillPlaceholders('${a}', { a }), /control characters/)
  })

  it('is sent without the whitespace that fetch removes from a header', () => {
    for (const key of ['key\n', 'key\r\n', '\tkey ', 'key'])
      assert.equal(fillHeaderTemplate('Bearer ${key}', { key }), 'Bearer key')
  })
})
