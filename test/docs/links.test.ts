import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

interface Link {
  readonly from: string
  readonly to: string
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGES = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'test/docs/*.md'], { cwd: ROOT })

describe('Markdown documents', () => {
  it('link only to existing files', () => {
    const links = PAGES.flatMap(listLinks)
    assert.ok(links.length >= 40, `${links.length} links were found`)
    const broken = links.filter(({ to }) => !existsSync(path.join(ROOT, to.split('#', 1)[0] ?? '')))
    assert.deepEqual(broken, [])
  })

  it('link only to existing headings', () => {
    const links = PAGES.flatMap(listLinks).filter(({ to }) => /\.md#/.test(to))
    assert.ok(links.length >= 5, `${links.length} links to headings were found`)
    const broken = links.filter(({ to }) => {
      const [page = '', heading = ''] = to.split('#')
      return !listHeadings(page).includes(heading)
    })
    assert.deepEqual(broken, [])
  })

  it('contain decisions of at most 60 lines, each listed in docs/decisions/README.md', () => {
    const pages = PAGES.filter((page) => /^docs\/decisions\/\d/.test(page))
    assert.ok(pages.length >= 12, `${pages.length} decisions were found`)
    const long = pages.filter((page) => read(page).split('\n').length > 60)
    assert.deepEqual(long, [])
    const listed = listLinks('docs/decisions/README.md').map(({ to }) => to)
    assert.deepEqual(listed.toSorted(), pages.toSorted())
  })
})

/** The relative links of a page, as paths from the root of the repository. */
function listLinks(page: string): Link[] {
  const found = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
  return found
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => (target.startsWith('#') ? path.basename(page) + target : target))
    .map((target) => ({ from: page, to: path.join(path.dirname(page), target) }))
}

/** The anchors of a page's headings, as GitHub generates them. */
function listHeadings(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

function read(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8')
}
