import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PARSERS } from '../start/environment.ts'
import { readConfig } from './config.ts'
import { settings } from './settings.ts'

const FILE = new URL('../../../../.env.example', import.meta.url)
const TABLE = Object.entries(settings(PARSERS))

describe('.env.example', () => {
  const lines = readFileSync(FILE, 'utf8').split('\n')
  const shown = lines.flatMap((line, at) => {
    const match = /^# ([A-Z_]+)=(.*)$/.exec(line)
    const [, name, value] = match ?? []
    return name === undefined ? [] : [{ name, value, meaning: lines[at - 1]?.slice(2) }]
  })

  it('lists every setting with its default and meaning, in order, and none that is not there', () => {
    assert.ok(shown.length >= 14)
    const expected = TABLE.map(([name, { default: value, meaning }]) => ({ name, value, meaning }))
    assert.deepEqual(shown, expected)
  })

  it('holds no setting that counts: copied as it is, it changes nothing', () => {
    for (const line of lines) assert.match(line, /^(?:#.*)?$/)
  })
})

describe('the table of settings', () => {
  it('has a default that its own parser takes, for every setting', () => {
    for (const [name, { default: value, parse }] of TABLE)
      assert.doesNotThrow(() => parse(value), name)
  })

  it('is read whole: every setting has a place in the config', () => {
    assert.equal(Object.keys(readConfig({}, PARSERS)).length, TABLE.length)
  })
})
