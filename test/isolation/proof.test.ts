import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isolation } from '../../bench/isolation/main.ts'
import { proveIsolation } from '../../bench/isolation/prove-isolation.ts'
import { SCENARIOS } from '../../bench/isolation/scenarios.ts'
import { renderTableHead, renderTableRow } from '../../bench/isolation/table.ts'

const OPERATIONS = ['check', 'credentials', 'proxy', 'read']

describe('npm run proof -- isolation', () => {
  // A p99 over one second is meaningless: only the full proof evaluates it.
  it('one short round measures each operation of the victim and the responses to the attack', async () => {
    const names = ['flooding the API']
    const scenarios = SCENARIOS.filter(({ name }) => names.includes(name))
    const times = { seconds: 1, leadSeconds: 1, drainSeconds: 1, rounds: 1 }
    const lines: string[] = []
    const rows = await proveIsolation({
      database: 'sqlite',
      scenarios,
      times,
      onRow: (row) => lines.push(renderTableRow(row)),
    })
    assert.deepEqual(
      rows.map(({ scenario, operation }) => [scenario, operation]),
      names.flatMap((name) => OPERATIONS.map((operation) => [name, operation])),
    )
    for (const { operation, baseline, requests, attack } of rows) {
      assert.ok(baseline.p50 > 0 && baseline.p99 >= baseline.p50, operation)
      assert.ok(requests > 0 && Object.keys(attack).length > 0, operation)
    }
    for (const { operation, errors } of rows) if (operation === 'read') assert.deepEqual(errors, {})
    const cells = (line: string) => line.split('|').length
    assert.ok(lines.every((line) => cells(line) === cells(renderTableHead().split('\n')[0] ?? '')))
  })

  it('rejects unknown options and scenarios before it starts', async () => {
    for (const args of [['--scenario', 'x'], ['--database', 'x'], ['--seconds', '0'], ['--x']])
      await assert.rejects(isolation(args), TypeError)
  })
})
