import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { attributes, escapeText, html } from '../ui/html.ts'
import { createTextTag, t } from './localized-text.ts'

describe('LocalizedText', () => {
  it('isolates names in HTML', () => {
    const text = t`Connect ${'GitHub'} now`
    assert.equal(html`<p>${text}</p>`.text, '<p>Connect <bdi>GitHub</bdi> now</p>')
  })

  it('is plain text inside a tag, in a title and in an attribute', () => {
    const text = t`Connect ${'<b>"'}`
    const escaped = 'Connect &#60;b&#62;&#34;'
    assert.equal(html`<i title="${text}">`.text, `<i title="${escaped}">`)
    assert.equal(
      html`<i a="${'>'}" title="${text}"> ${text}`.text.includes(
        `title="${escaped}"> Connect <bdi>`,
      ),
      true,
    )
    assert.equal(escapeText(text).text, escaped)
    assert.equal(attributes({ title: text }).text, ` title="${escaped}"`)
  })

  it('isolates names in plain text only where two directions meet', () => {
    assert.equal(String(t`Connect ${'GitHub'}`), 'Connect GitHub')
    assert.equal(String(t`Connect ${'دفتر'}`), 'Connect \u2068دفتر\u2069')
    assert.equal(String(t`اربط ${'GitHub'}`), 'اربط \u2068GitHub\u2069')
  })

  it('removes bidirectional control characters from names', () => {
    const text = t`اربط ${'\u2069\u202eevil\u2066'}`
    assert.equal(String(text), 'اربط \u2068evil\u2069')
    assert.equal(html`<p>${text}</p>`.text, '<p>اربط <bdi>evil</bdi></p>')
  })

  it('capitalizes the stand-in for a missing workspace name at the start of a sentence only', () => {
    const app = 'this app'
    const inEnglish = createTextTag(app)
    assert.equal(
      String(inEnglish`${app} asks. ${app} waits for ${app}.`),
      'This app asks. This app waits for this app.',
    )
    assert.equal(String(inEnglish`${'acme'} asks`), 'acme asks')
  })

  it('escapes any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const { text } = html`<p title="${t`a ${name}`}">${t`a ${name}`}${name}</p>`
        const inside = text.replace(/^<p title="|<\/p>$/g, '').replace(/">|<\/?bdi>/g, '')
        assert.doesNotMatch(inside, /[<>"']/)
      }),
    )
  })
})

describe('attributes', () => {
  it('renders true as a bare name and omits false and undefined', () => {
    const all = { required: true, hidden: false, id: undefined, min: 0, value: '' }
    assert.equal(attributes(all).text, ' required min="0" value=""')
  })

  it('keeps values unchanged, and cleans only displayed attributes', () => {
    const value = 'a\u202eb\u200f\r\nc'
    assert.equal(attributes({ value }).text, ' value="a\u202eb\u200f&#13;\nc"')
    assert.equal(
      html`<i value="${value}">${value}`.text,
      '<i value="a\u202eb\u200f&#13;\nc">ab\r\nc',
    )
    assert.equal(
      attributes({ placeholder: 'a\u202eb', 'aria-label': t`${'\u202eb'}` }).text,
      ' placeholder="ab" aria-label="b"',
    )
  })

  it('throws for an invalid attribute name', () => {
    for (const name of ['onload=x ', 'a b', '', 'A', '"'])
      assert.throws(() => attributes({ [name]: 'x' }), TypeError)
  })
})
