import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8')

describe('Tables in documents', () => {
  it('docs/operating.md lists only log messages that the code contains', () => {
    const documented = parseRows(section(read('docs/operating.md'), '## Logs')).map(
      ([text = '']) => text,
    )
    assert.ok(documented.length >= 5, `${documented.length} lines were found`)
    const sources = readSources()
    assert.deepEqual(
      documented.filter((text) => !sources.includes(`'${text}'`)),
      [],
    )
  })

  it('docs/runbooks.md names only log messages that the code contains', () => {
    const lists = read('docs/runbooks.md').matchAll(
      /\blines? (?:with )?((?:`[^`]+`(?: or | and )?)+)/gi,
    )
    const named = [...lists].flatMap(
      ([, list = '']) => list.match(/(?<=`)[a-z ]+[a-z](?=`)/g) ?? [],
    )
    assert.ok(named.length >= 8, `${named.length} messages were found`)
    const sources = readSources()
    assert.deepEqual(
      named.filter((text) => !new RegExp(`['\`]${text}\\b`).test(sources)),
      [],
    )
  })

  it('CONTRIBUTING.md lists exactly the scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const rows = parseRows(section(read('CONTRIBUTING.md'), '## Commands'))
    assert.ok(rows.length >= 8, `${rows.length} commands were found`)
    const named = rows.map(([cell]) => /^`npm (?:run )?([\w:-]+)/.exec(cell ?? '')?.[1] ?? '')
    assert.deepEqual([...new Set(named)].toSorted(), Object.keys(scripts).toSorted())
  })
})

/** Without the runbooks themselves. */
function readSources(): string {
  const files = globSync('packages/{server,runner}/src/**/*.ts', { cwd: ROOT })
  return files
    .filter((file) => !file.includes('observability/metrics/'))
    .map(read)
    .join('\n')
}

function section(text: string, heading: string): string {
  return text.split(`\n${heading}\n`)[1]?.split('\n## ')[0] ?? ''
}

/** The cells of a table's rows, without the header row. */
function parseRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  const cells = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return cells.slice(1)
}
