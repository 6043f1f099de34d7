import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { generateAccessToken } from '../../access/auth/access-token.ts'
import { PARSERS } from '../../app/start/environment.ts'
import { ConfigError, parseConfig, readSettingFile } from './config.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-settings-'))

const KEY = `one:${Buffer.alloc(32, 1).toString('base64')}`
const TOKEN = generateAccessToken()

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

function parseErrors(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env, PARSERS)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.errors
  }
  return []
}

describe('NAME_FILE', () => {
  after(() => rmSync(folder, { recursive: true }))

  it('sets NAME to the contents of the file, without white space around it', () => {
    const config = parseConfig(
      {
        LINCHPIN_TOKEN_FILE: write('token', `${TOKEN}\n`),
        LINCHPIN_KEYS_FILE: ` ${write('keys', `\n${KEY}\n`)} `,
        DATABASE_URL_FILE: write('url', 'postgres://a:b@c.example/d\n'),
        LINCHPIN_METRICS_TOKEN_FILE: write('metrics', 'm'.repeat(20)),
      },
      PARSERS,
    )
    assert.equal(config.token, TOKEN)
    assert.equal(config.metricsToken, 'm'.repeat(20))
    assert.equal(config.databaseUrl, 'postgres://a:b@c.example/d')
    assert.ok(config.keys)
  })

  it('is an error beside NAME, without the value of either', () => {
    const file = write('both', TOKEN)
    assert.deepEqual(parseErrors({ LINCHPIN_TOKEN: TOKEN, LINCHPIN_TOKEN_FILE: file }), [
      'LINCHPIN_TOKEN_FILE: is set as well as LINCHPIN_TOKEN. Set one of them.',
    ])
  })

  it('is an error for a missing, an unreadable and an empty file, and has no effect when empty', () => {
    const missing = path.join(folder, 'missing')
    const [first, ...rest] = parseErrors({ LINCHPIN_KEYS_FILE: missing, LINCHPIN_TOKEN: TOKEN })
    assert.match(String(first), /^LINCHPIN_KEYS_FILE: cannot read the file: ENOENT.*missing'$/)
    assert.deepEqual(rest, [])
    assert.match(String(parseErrors({ LINCHPIN_TOKEN_FILE: folder })), /neither a file nor a pipe/)
    const empty = write('empty', '\n')
    assert.deepEqual(parseErrors({ LINCHPIN_TOKEN_FILE: empty }), [
      `LINCHPIN_TOKEN_FILE: ${empty} is empty.`,
    ])
    assert.deepEqual(parseErrors({ LINCHPIN_TOKEN: TOKEN, LINCHPIN_TOKEN_FILE: ' ' }), [])
  })

  it('is a regular file of at most 1 MiB, or a pipe that is written in time', async () => {
    assert.match(String(parseErrors({ LINCHPIN_TOKEN_FILE: '/dev/zero' })), /neither a file nor/)
    const large = write('large', 'x'.repeat(1_048_577))
    assert.match(String(parseErrors({ LINCHPIN_TOKEN_FILE: large })), /more than 1048576 bytes/)
    const fifo = path.join(folder, 'fifo')
    execFileSync('mkfifo', [fifo])
    assert.throws(() => readSettingFile(fifo, { timeoutMs: 1 }), /not written within 0.001 seconds/)
    const end = openSync(fifo, 'r+')
    const writer = spawn('/bin/sh', ['-c', 'sleep 0.05; printf a; sleep 0.05; echo b'], {
      stdio: ['ignore', end, 'ignore'],
    })
    closeSync(end)
    assert.equal(readSettingFile(fifo).trim(), 'ab')
    await once(writer, 'exit')
  })

  it('names the setting when the contents are invalid, without them', () => {
    const file = write('invalid', 'secret')
    const [error] = parseErrors({ LINCHPIN_TOKEN_FILE: file })
    assert.match(String(error), /^LINCHPIN_TOKEN: is not a well-formed token/)
    assert.doesNotMatch(String(error), /secret/)
  })
})
