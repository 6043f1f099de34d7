import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { SEALED_COLUMNS } from '../../packages/server/src/platform/vault/sealed-value-store.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

describe('The table of stored secrets in docs/security.md', () => {
  const section =
    read('docs/security.md').split('\n## Stored secrets\n')[1]?.split('\n## ')[0] ?? ''
  const names = [...section.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )

  it('has every column that is encrypted, and no other', () => {
    const columns = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
    assert.ok(columns.length >= 10)
    const others = [
      ...['idempotency_keys.sealed_response', 'workspace_keys.wrapped_key', 'key_checks.sealed'],
    ]
    const listed = names.filter((name) => name.includes('.'))
    assert.deepEqual(listed.toSorted(), [...columns, ...others].sort())
  })

  it('has every setting that contains a secret, and no unknown one', () => {
    const settings = [...read('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(
      ([, name = '']) => name,
    )
    assert.ok(settings.length >= 30)
    const secret =
      /^(?:DATABASE_URL|LINCHPIN_(?:KEYS|.*_?(?<!OWNER_)TOKEN|.*_HEADERS|.*_PASSWORD|.*_SECRET|.*DIRECT_URL|EGRESS_PROXY))$/
    const listed = names.filter((name) => /^[A-Z]/.test(name))
    assert.deepEqual(listed.toSorted(), settings.filter((name) => secret.test(name)).sort())
  })
})
