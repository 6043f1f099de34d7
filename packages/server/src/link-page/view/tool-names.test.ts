import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CATEGORIES } from '../../definition/category.ts'
import { wordsOf } from '../../page/words/words-of.ts'
import { categoryName } from './tool-names.ts'

describe('names of categories', () => {
  it('are in the language of the page for every category that everybody knows', () => {
    const known = CATEGORIES.map(({ key }) => key.toLowerCase()).sort()
    for (const language of ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const)
      assert.deepEqual(Object.keys(wordsOf(language).picker.category).sort(), known)
    const development = { type_key: 'DEVELOPER_TOOLS', type_name: 'Developer tools' }
    assert.equal(categoryName(wordsOf('de'), development), 'Entwicklung')
  })

  it('are shown as the workspace gave them otherwise', () => {
    const own = { type_key: 'FLEETS', type_name: 'Our fleets' }
    assert.equal(categoryName(wordsOf('ja'), own), 'Our fleets')
  })
})
