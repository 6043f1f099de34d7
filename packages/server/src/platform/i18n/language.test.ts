import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chooseLanguage, getMessages, LANGUAGES } from './language.ts'

describe('chooseLanguage', () => {
  const cases: readonly [asked: unknown, accepted: string | undefined, language: string][] = [
    ['de', 'fr', 'de'],
    ['de-AT', 'fr', 'de'],
    ['FR_ca', undefined, 'fr'],
    ['xx', 'es-MX,es;q=0.9', 'es'],
    [['de'], 'ja', 'ja'],
    [undefined, 'nl, ko;q=0.9, ar;q=0.8, de;q=0.7', 'ar'],
    [undefined, 'pt-BR, en;q=0.5', 'pt'],
    ['it-CH', undefined, 'it'],
    [undefined, 'en;q=0.1, de;q=0.9', 'de'],
    [undefined, 'de;q=0, fr;q=0.1', 'fr'],
    [undefined, 'de;q=x, fr', 'fr'],
    [undefined, '*', 'en'],
    [undefined, '', 'en'],
    [undefined, undefined, 'en'],
  ]
  for (const [requested, accepted, language] of cases)
    it(`is ${language} for lang=${String(requested)} and Accept-Language: ${accepted}`, () =>
      assert.equal(chooseLanguage(requested, accepted), language))

  it('returns a supported language for any header', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (requested, accepted) =>
        assert.ok(LANGUAGES.includes(chooseLanguage(requested, accepted))),
      ),
    )
  })

  it('only Arabic is right-to-left', () => {
    assert.deepEqual(
      LANGUAGES.filter((language) => getMessages(language).direction === 'rtl'),
      ['ar'],
    )
  })
})
