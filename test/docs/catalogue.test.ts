import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

describe('docs/catalogue.md', () => {
  const text = readFileSync(new URL('../../docs/catalogue.md', import.meta.url), 'utf8')

  it('lists every integration with its documentation, its key, its sources and whether it has a sign-in', () => {
    const [, count = ''] = /^(\d+) integrations: /m.exec(text) ?? []
    assert.ok(Number(count) >= 69, count)
    const row =
      /^- \[.+\]\(https:\/\/[^)]+\) \[`([a-z][a-z0-9_]*)`\]\(\.\.\/packages\/catalogue\/(?:evidence\/\1\.json|entries\/\1\.ts)\)(?:: (?:sign-in, )?(?:sign-in|documented|code))?$/gm
    assert.equal(text.match(row)?.length, Number(count))
    assert.match(text, /\[`github`\]\([^)]+\): sign-in$/m)
    assert.match(text, /\[`stripe`\]\([^)]+\)$/m)
    assert.match(text, /sources were read from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\./)
  })

  it('is an index: less than 400 lines', () => {
    assert.ok(text.split('\n').length < 400)
  })
})
