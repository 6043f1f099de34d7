import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PARSERS } from '../start/environment.ts'
import { parseConfig } from './config.ts'
import { settings } from './settings.ts'

const ENV_EXAMPLE = new URL('../../../../.env.example', import.meta.url)
const SETTINGS = Object.entries(settings(PARSERS))

describe('.env.example', () => {
  const lines = readFileSync(ENV_EXAMPLE, 'utf8').split('\n')
  const documented = lines.flatMap((line, at) => {
    const match = /^# ([A-Z_]+)=(.*)$/.exec(line)
    const [, name, value] = match ?? []
    return name === undefined ? [] : [{ name, value, meaning: lines[at - 1]?.slice(2) }]
  })

  it('lists every setting with its default and meaning, in order, and none that is not there', () => {
    assert.ok(documented.length >= 14)
    const expected = SETTINGS.map(([name, { default: value, meaning }]) => ({
      name,
      value,
      meaning,
    }))
    assert.deepEqual(documented, expected)
  })

  it('holds no setting that counts: copied as it is, it changes nothing', () => {
    for (const line of lines) assert.match(line, /^(?:#.*)?$/)
  })
})

describe('the table of settings', () => {
  it('has a default that its own parser takes, for every setting', () => {
    for (const [name, { default: value, parse }] of SETTINGS)
      assert.doesNotThrow(() => parse(value), name)
  })

  it('is read whole: every setting has a place in the config', () => {
    assert.equal(Object.keys(parseConfig({}, PARSERS)).length, SETTINGS.length)
  })
})
