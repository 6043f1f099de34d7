import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadCatalogue } from '../index.ts'
import { de } from './de.ts'
import { translateCatalogueText } from './translate-catalogue-text.ts'

describe('translateCatalogueText', async () => {
  const { entries } = await loadCatalogue()
  const specs = JSON.stringify(
    entries.map(({ versions }) => versions.map(({ spec }) => JSON.parse(spec))),
  )

  it('has no translation of a text that no version of an integration contains', () => {
    for (const text of Object.keys(de)) assert.ok(specs.includes(JSON.stringify(text)), text)
  })

  it('addresses the reader as "Sie" and keeps hosts', () => {
    for (const [text, translation] of Object.entries(de)) {
      assert.doesNotMatch(translation, /\b(?:du|dein\w*|dir|dich)\b/i)
      for (const host of text.match(/[\w-]+(?:\.[\w-]+)+/g) ?? [])
        assert.ok(translation.includes(host), translation)
    }
  })

  it('is undefined for another language and for an unknown text', () => {
    assert.equal(translateCatalogueText('xx', 'Where your domain is hosted.'), undefined)
    assert.equal(translateCatalogueText('de', '__proto__'), undefined)
  })
})
