import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { ApiDocument } from './answer-contract.ts'
import { NEEDED_SCOPES } from './needed-scopes.ts'
import { type TestApp, testApp } from './test-app.ts'

const ROWS = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, title, method, path, operationId, scope, status]) =>
    /^(?:GET|POST|DELETE)$/.test(method ?? '') && /^\d{3}$/.test(status ?? '')
      ? [{ title, method, path, operationId, scope, status }]
      : [],
  )

describe('the endpoint table of docs/interface.md', () => {
  let t: TestApp
  before(async () => {
    t = await testApp()
  })
  after(() => t.close())

  it('has every operation under its method, path, name, scope and status, and no other', () => {
    assert.ok(ROWS.length >= 11)
    const { paths } = t.app.swagger() as unknown as ApiDocument
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, responses }]) => {
        const status = Object.keys(responses).find((one) => one.startsWith('2'))
        const name = `${method.toUpperCase()} ${path.replace('/api', '')}`
        return [name, operationId, NEEDED_SCOPES[operationId], status].join(' ')
      }),
    )
    const documented = ROWS.map(({ method, path, operationId, scope, status }) =>
      [`${method} ${path}`, operationId, scope, status].join(' '),
    )
    assert.deepEqual(documented.sort(), served.sort())
  })
})
