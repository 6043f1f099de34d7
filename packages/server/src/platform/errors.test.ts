import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ERRORS } from './error-codes.ts'

const ROOT = new URL('../../../../', import.meta.url)

describe('docs/errors.md', () => {
  const text = readFileSync(new URL('docs/errors.md', ROOT), 'utf8')
  const sections = text.split(/^### /m).slice(1)
  const listed = new Map(
    sections.map((section) => {
      const [, code, status, errorClass] = /^`(\w+)`\n\n(\d+) (\w+)\n\n\S/.exec(section) ?? []
      assert.ok(
        code !== undefined,
        `not a code, a status and an explanation: ${section.slice(0, 80)}`,
      )
      return [code, [Number(status), errorClass]]
    }),
  )

  it('lists exactly the codes of the service with their status and class', () => {
    assert.ok(listed.size >= 40)
    assert.equal(listed.size, sections.length, 'no code is documented twice')
    const expected = Object.entries(ERRORS).sort(([a], [b]) => a.localeCompare(b))
    const found = [...listed].sort(([a = ''], [b = '']) => a.localeCompare(b))
    assert.deepEqual(found, expected)
  })

  it('explains every class of the codes', () => {
    const errorClasses = new Set(Object.values(ERRORS).map(([, errorClass]) => errorClass))
    for (const errorClass of errorClasses)
      assert.match(text, new RegExp(`^\\| ${errorClass} \\| .+ \\|$`, 'm'))
  })

  it('lists only codes that the service throws', () => {
    const sources = globSync('packages/server/src/**/*.ts', { cwd: ROOT }).filter(
      (file) => !file.endsWith('.test.ts'),
    )
    assert.ok(sources.length > 50)
    const code = sources.map((file) => readFileSync(new URL(file, ROOT), 'utf8')).join('\n')
    for (const name of Object.keys(ERRORS)) {
      if (name.endsWith('_not_found') && name !== 'route_not_found') continue
      assert.match(code, new RegExp(`'${name}'`), name)
    }
  })
})
