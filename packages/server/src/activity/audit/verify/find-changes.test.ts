import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CollectedExport } from './read-export.ts'
import { findChanges } from './verify-export.ts'

it('findChanges: reports every line of an export with 300,000 moved entries and no end', () => {
  const count = 300_000
  const entries = Array.from({ length: count }, (_, index) => ({
    sequence: index + 1,
    workspaceId: 'wsp_1',
    previousHash: String(index),
    hash: String(index + 1),
    isConsistent: true,
    erased: 0,
  }))
  const moved = [...entries.slice(count / 2), ...entries.slice(0, count / 2)]
  const lines = moved.map((entry, index) => ({ ...entry, line: index + 2 }))
  const header = { base: { sequence: 0, hash: '0' } } as CollectedExport['header']
  const findings = findChanges({ header, lines, end: undefined })
  assert.equal(findings.filter(({ kind }) => kind === 'moved').length, count)
  assert.equal(findings.filter(({ kind }) => kind === 'incomplete').length, 1)
})
