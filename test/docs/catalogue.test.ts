import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { renderCataloguePage } from '../../packages/catalogue/catalogue-table.ts'

describe('docs/catalogue.md', () => {
  const text = readFileSync(new URL('../../docs/catalogue.md', import.meta.url), 'utf8')

  it('is up to date: node packages/catalogue/catalogue-table.ts', async () => {
    assert.equal(text, await renderCataloguePage())
  })

  it('lists at least 60 integrations with their documentation, and says when it was read', () => {
    assert.match(text, /^Their documentation was read (?:on|from) \d{4}-\d\d-\d\d/m)
    const rows = text.split('\n').filter((line) => line.startsWith('| `'))
    const documented = rows.filter((line) => /\]\(https:\/\/[^)]+\) \|$/.test(line))
    assert.ok(documented.length >= 60, `${documented.length}`)
    const integrations = rows.filter((line) => /^\| `[a-z][a-z0-9_]*` \|/.test(line))
    assert.deepEqual(integrations, documented)
  })
})
