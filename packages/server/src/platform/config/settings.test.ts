import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PARSERS } from '../../app/start/environment.ts'
import { parseConfig, settings } from './config.ts'

const ENV_EXAMPLE = new URL('../../../../../.env.example', import.meta.url)
const SETTINGS = Object.values(settings(PARSERS))

describe('.env.example', () => {
  const lines = readFileSync(ENV_EXAMPLE, 'utf8').split('\n')
  const documented = lines.flatMap((line, at) => {
    const match = /^# ([A-Z_]+)=(.*)$/.exec(line)
    const [, name, value] = match ?? []
    return name === undefined ? [] : [{ name, value, meaning: lines[at - 1]?.slice(2) }]
  })

  it('lists exactly the settings of the table, in order, with default and meaning', () => {
    assert.ok(documented.length >= 14)
    const expected = SETTINGS.map(({ name, default: value, meaning }) => ({
      name,
      value,
      meaning,
    }))
    assert.deepEqual(documented, expected)
  })

  it('has every setting commented out, so that an unmodified copy has no effect', () => {
    for (const line of lines) assert.match(line, /^(?:#.*)?$/)
  })
})

describe('The table of settings', () => {
  it('has a default that its parser accepts, for every setting', () => {
    for (const { name, default: value, parse } of SETTINGS)
      assert.doesNotThrow(() => parse(value), name)
  })

  it('is read completely: every setting is in the config', () => {
    assert.equal(Object.keys(parseConfig({}, PARSERS)).length, SETTINGS.length)
  })
})
