import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { loadCatalogue } from '../../packages/catalogue/src/index.ts'
import type { ApiPage } from './create-api-pages.ts'
import { createIntegrationPages, linkIntegrationPages } from './create-integration-pages.ts'

describe('The pages of integrations', () => {
  let pages: readonly ApiPage[]
  before(async () => {
    pages = await createIntegrationPages()
  })
  const find = (key: string) =>
    pages.find(({ path }) => path === `catalogue/${key}`)?.markdown ?? ''

  it('are one for each integration, which names its sources and that no account was connected', async () => {
    const { entries } = await loadCatalogue()
    assert.equal(pages.length, entries.length - 1)
    for (const { path, markdown } of pages) {
      assert.match(markdown, /was not connected to a real account here/, path)
      assert.match(markdown, /^## What customers enter$/m, path)
      assert.doesNotMatch(markdown, /undefined|\[object|\$\{(?!\w+\})/, path)
    }
  })

  it('say what to register where, what customers enter, and what is read afterwards', () => {
    const close = find('close')
    assert.match(close, /Register an OAuth app at \[developer\.close\.com\]\(https:/)
    assert.match(close, /\/api\/v1\/oauth\/callback/)
    assert.match(close, /^\| `all\.full_access` \| \S/m)
    assert.match(close, /^\| API key \| \S.* \| secret \|$/m)
    assert.match(close, /checked with `GET \/me\/`/)
    assert.match(close, /document of the provider \| \d{4}-\d\d-\d\d \|/)
    assert.match(find('jira'), /^- Site \(`cloud_id`\) .*chooses one/m)
  })

  it('are linked from the list of the catalogue', () => {
    const row = '- [Close](https://developer.close.com/) `close`: OAuth2, documented (4)'
    assert.match(linkIntegrationPages(row), /\) \[`close`\]\(\.\/catalogue\/close\.md\): OAuth2/)
    assert.equal(linkIntegrationPages('- `close`: text'), '- `close`: text')
  })
})
