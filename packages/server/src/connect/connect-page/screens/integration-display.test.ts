import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CATEGORIES } from '../../../integrations/definitions/category.ts'
import { getMessages, LANGUAGES } from '../../../platform/i18n/language.ts'
import { getCategoryName } from './integration-display.ts'

describe('getCategoryName', () => {
  it('translates every known category', () => {
    const known = CATEGORIES.map(({ key }) => key.toLowerCase()).sort()
    for (const language of LANGUAGES)
      assert.deepEqual(Object.keys(getMessages(language).picker.category).sort(), known)
    const development = { typeKey: 'DEVELOPER_TOOLS', typeName: 'Developer tools' }
    assert.equal(getCategoryName(getMessages('de'), development), 'Entwicklung')
  })

  it('shows other categories unchanged', () => {
    const own = { typeKey: 'FLEETS', typeName: 'Our fleets' }
    assert.equal(getCategoryName(getMessages('ja'), own), 'Our fleets')
  })
})
