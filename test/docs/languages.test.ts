import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { renderLanguages } from '../../scripts/sdk-types/render-languages.ts'

describe('The languages of the connect page', () => {
  for (const [file, content] of Object.entries(renderLanguages()))
    it(`are those of ${file}; otherwise run npm run sdk:types`, () =>
      assert.equal(readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8'), content))
})
