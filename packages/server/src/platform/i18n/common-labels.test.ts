import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getMessages, LANGUAGES, translateCommonLabel } from './language.ts'

describe('The common labels of forms', () => {
  it('are translated into every language', () => {
    const translated = LANGUAGES.filter((language) => language !== 'en')
    assert.ok(Object.keys(getMessages('de').labels).length > 70)
    for (const language of translated)
      for (const [label, text] of Object.entries(getMessages(language).labels)) {
        assert.equal(label, label.toLowerCase())
        assert.ok(text.trim() === text && text.length > 0 && text.length <= 40, text)
        if (language === 'ar') assert.match(text, /[\u0600-\u06ff]/, label)
      }
  })

  it('are found in upper and lower case, with a host in parentheses, and in no other text', () => {
    assert.equal(translateCommonLabel('de', 'API Key'), 'API-Schlüssel')
    assert.equal(translateCommonLabel('ja', 'Europe (zoho.eu)'), 'ヨーロッパ (zoho.eu)')
    assert.equal(translateCommonLabel('en', 'E-mail'), 'Email')
    for (const label of ['API key of Acme', 'constructor', '__proto__', '', 'Europe (both sites)'])
      assert.equal(translateCommonLabel('de', label), undefined, label)
    assert.equal(translateCommonLabel('en', 'API key'), undefined)
  })
})
