import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8')

/** The sections of ASVS 5.0.0, each with the number of its requirements of levels 1 and 2, which come first in every section. */
const SECTIONS =
  '1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2'

const REQUIREMENTS = SECTIONS.split(' ').flatMap((entry) => {
  const [section, count] = entry.split(':')
  return Array.from({ length: Number(count) }, (_, index) => `${section}.${index + 1}`)
})

const text = read('docs/asvs.md')
const pages = text + read('test/docs/asvs-met.md')
const section = (title: string) => pages.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
/** The cells of a table's rows that begin with a number, or several. */
const readRows = (title: string) =>
  [...section(title).matchAll(/^\| (\d[\d., -]+) \| (.+) \|$/gm)].map(
    ([, numbers = '', cells = '']) => ({ numbers, cells: cells.split(' | ') }),
  )
const ROWS_OF: Readonly<Record<string, string>> = {
  Tests: 'test',
  Documents: 'document',
  'In part': 'in part',
  'Not met': 'not met',
  'Not applicable': 'not applicable',
}
const rows = Object.entries(ROWS_OF).flatMap(([title, state]) =>
  readRows(title).map(({ numbers, cells: [reason = ''] }) => ({ numbers, state, reason })),
)
const expand = ({ numbers }: { numbers: string }) =>
  numbers.split(', ').flatMap((range) => {
    const [first = '', last = first] = range.split('-')
    return REQUIREMENTS.slice(REQUIREMENTS.indexOf(first), REQUIREMENTS.indexOf(last) + 1)
  })

describe('docs/asvs.md', () => {
  it('has each of the 253 requirements of levels 1 and 2 once', () => {
    assert.equal(REQUIREMENTS.length, 253)
    assert.deepEqual(rows.flatMap(expand).toSorted(), REQUIREMENTS.toSorted())
  })

  it('names tests that exist under their titles', () => {
    const named = rows.filter(({ state }) => state === 'test')
    assert.ok(named.length > 60, `${named.length} tests were found`)
    for (const { numbers, reason } of named) {
      const [, file = '', title = ''] = /^`(.+\.test\.ts)`: "(.+)"$/.exec(reason) ?? []
      assert.ok(title !== '' && read(file).includes(title), `${numbers}: ${reason}`)
    }
  })

  it('counts its rows by state', () => {
    const counts = new Map<string, number>()
    for (const row of rows) counts.set(row.state, (counts.get(row.state) ?? 0) + expand(row).length)
    const stated = [...text.matchAll(/^\| ([a-z ]+) \| (\d+) \|/gm)]
    assert.deepEqual(
      new Map(stated.map(([, state = '', count]) => [state, Number(count)])),
      new Map(stated.map(([, state = '']) => [state, counts.get(state) ?? 0])),
    )
    assert.deepEqual([...counts.keys()].toSorted(), stated.map(([, state]) => state).toSorted())
  })
})
