import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PARSERS } from '../../app/start/environment.ts'
import { parseConfig } from './config.ts'
import { settings } from './settings.ts'

const SETTINGS = Object.values(settings(PARSERS))

describe('The table of settings', () => {
  it('has a default that its parser accepts, for every setting', () => {
    for (const { name, default: value, parse } of SETTINGS)
      assert.doesNotThrow(() => parse(value), name)
  })

  it('is read completely: every setting is in the config', () => {
    assert.equal(Object.keys(parseConfig({}, PARSERS)).length, SETTINGS.length)
  })
})
