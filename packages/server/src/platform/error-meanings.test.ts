import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ERROR_MEANINGS } from './error-meanings.ts'

describe('ERROR_MEANINGS', () => {
  it('explains each code with the first sentence of its section in docs/errors.md', () => {
    const text = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
    for (const [code, meaning] of Object.entries(ERROR_MEANINGS)) {
      const [, section = ''] = text.split(`### \`${code}\`\n\n`)
      const [, paragraph = ''] = section.split('\n\n')
      assert.ok(paragraph.replaceAll('\n', ' ').startsWith(meaning), code)
    }
  })
})
