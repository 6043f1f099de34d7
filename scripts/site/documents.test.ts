import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import {
  DOCUMENT_GROUPS,
  findPagePath,
  toPage,
} from '../../packages/server/src/app/observability/documentation/documents.ts'

const pages = DOCUMENT_GROUPS.flatMap((group) => group.pages)

describe('The documentation site', () => {
  it('lists every document exactly once', () => {
    const listed = pages.map(({ file }) => file).filter((file) => /^docs\/[^/]+$/.test(file))
    assert.deepEqual(listed.toSorted(), globSync('docs/*.md').toSorted())
    assert.equal(new Set(pages.map(({ path }) => path)).size, pages.length)
  })

  it('lists only files that exist', () => {
    assert.deepEqual(
      pages.filter(({ file }) => !existsSync(file)),
      [],
    )
  })

  it('links to pages of the site, and shows the names of other files as text', () => {
    const markdown =
      'See [the SDK](../packages/sdk/README.md#events), [021](decisions/021-x.md), [`a`](../examples/a.ts), [up](#up), [oauth.md](oauth.md#x), [deploy/a.yaml](../deploy/a.yaml).\n' +
      '```md\n[the SDK](../packages/sdk/README.md)\n```\n![A page](images/a.png)'
    assert.equal(
      toPage('docs/webhooks.md', markdown),
      'See [the SDK](./sdk.md#events), [021](./decisions/021-x.md), `a`, [up](#up), [Sign-in with OAuth](./oauth.md#x), `deploy/a.yaml`.\n' +
        '```md\n[the SDK](../packages/sdk/README.md)\n```\n![A page](./images/a.png)',
    )
    assert.equal(
      toPage('docs/decisions/021-x.md', '[security](../security.md#a)'),
      '[security](../security.md#a)',
    )
  })

  it('has every decision at its name', () => {
    assert.equal(findPagePath('docs/decisions/021-x.md'), 'decisions/021-x')
    assert.equal(findPagePath('examples/tour.ts'), undefined)
  })
})

describe('site/package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync('site/package-lock.json', 'utf8')) as {
    packages: Record<string, { version?: string; resolved?: string; integrity?: string }>
  }
  const installed = Object.entries(packages).filter(([path]) => path !== '')

  it('pins every package by version and digest, without download URLs', () => {
    assert.ok(installed.length > 50)
    const unclean = installed.filter(
      ([, entry]) => !entry.version || !entry.integrity || entry.resolved !== undefined,
    )
    assert.deepEqual(unclean, [])
  })

  it('belongs to site/package.json, whose versions are exact', () => {
    const { devDependencies } = JSON.parse(readFileSync('site/package.json', 'utf8'))
    const root = packages[''] as { devDependencies?: Record<string, string> }
    assert.deepEqual(root.devDependencies, devDependencies)
    for (const version of Object.values(devDependencies))
      assert.match(String(version), /^\d+\.\d+\.\d+$/)
  })
})
