import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog, type Log } from '../../platform/http/log.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import { createOutput } from './output.ts'

function createStream(isTTY: boolean) {
  const chunks: string[] = []
  return { isTTY, chunks, write: (text: string) => void chunks.push(text) }
}

describe('LINCHPIN_LOG_FORMAT', () => {
  for (const [logFormat, isTTY, isPretty] of [
    ['auto', true, true],
    ['auto', false, false],
    ['json', true, false],
    ['pretty', false, true],
  ] as const)
    it(`${logFormat} is ${isPretty ? 'pretty' : 'json'} ${isTTY ? 'on a terminal' : 'elsewhere'}`, () => {
      const output = createOutput({ logFormat, logLevel: 'silent' }, createStream(isTTY))
      assert.equal(output.isPretty, isPretty)
    })

  it('json writes a notice as one JSON line', () => {
    const stream = createStream(true)
    createOutput({ logFormat: 'json', logLevel: 'silent' }, stream).notice('Linchpin listens')
    const [line = ''] = stream.chunks
    assert.equal(JSON.parse(line).msg, 'Linchpin listens')
    assert.match(line, /\n$/)
  })

  it('pretty writes time, level, message and facts on one line, and no JSON', () => {
    const stream = createStream(false)
    const { log, notice } = createOutput({ logFormat: 'pretty', logLevel: 'info' }, stream)
    notice('Linchpin listens')
    log.warn({ file: '/data/owner-token', count: 2 }, 'a warning')
    log.info({ method: 'POST', status: 201 })
    assert.equal(stream.chunks[0], 'Linchpin listens\n')
    assert.match(
      stream.chunks[1] ?? '',
      /^\d\d:\d\d:\d\d warn a warning file=\/data\/owner-token count=2\n$/,
    )
    assert.match(stream.chunks[2] ?? '', /^\d\d:\d\d:\d\d info method=POST status=201\n$/)
  })

  const writePretty = (logLevel: 'info' | 'debug', write: (log: Log) => void) => {
    const stream = createStream(false)
    write(createOutput({ logFormat: 'pretty', logLevel }, stream).log)
    return stream.chunks.join('').replaceAll(/^\d\d:\d\d:\d\d /gm, '')
  }

  it('pretty writes a request as what a person looks for, without placeholders, and its ids last', () => {
    const request = {
      reqId: 'r-1',
      method: 'POST',
      route: '/connect/:pageId/connect',
      status: 422,
      ms: 1_234.5,
      workspaceId: 'wsp_1',
      error: 'credentials_rejected',
      tool: 'acme_sandbox',
      connectSessionId: 'cns_1',
      reason: 'no',
    }
    const ids = 'reqId=r-1 workspaceId=wsp_1 connectSessionId=cns_1'
    const words = 'POST /connect/…/connect 422 1.2s credentials_rejected acme_sandbox reason=no'
    assert.equal(
      writePretty('info', (log) => log.info(request)),
      `${words} ${ids}\n`,
    )
    assert.equal(
      writePretty('info', (log) => log.error({ ...request, error: 'internal_error\n1' })),
      `error ${words.replace('credentials_rejected', '"internal_error\\n1"')} ${ids}\n`,
    )
    const read = { reqId: 'r', method: 'GET', route: '/api/v1/x/*', status: 200, ms: 3.2 }
    assert.equal(
      writePretty('debug', (log) => log.debug(read)),
      'GET /api/v1/x/… 200 3ms reqId=r\n',
    )
  })

  it('pretty has checkpoints of the audit trail at debug only; JSON lines always have them, for collectors', () => {
    const write = (log: Log) => log.info({ checkpoint: { sequence: 1 } }, 'audit checkpoint')
    assert.equal(writePretty('info', write), '')
    assert.match(writePretty('debug', write), /audit checkpoint/)
    const stream = createStream(true)
    write(createLog('info', stream))
    assert.match(stream.chunks.join(''), /"checkpoint"/)
  })

  it('pretty writes an error with its stack', () => {
    const stream = createStream(false)
    const { log } = createOutput({ logFormat: 'pretty', logLevel: 'info' }, stream)
    log.error({ err: new Error('no disk') }, 'background work failed')
    assert.match(stream.chunks[0] ?? '', /error background work failed\nError: no disk\n {4}at /)
  })

  it('an error that says that the database is away has no stack, and neither have its causes', () => {
    const cause = new Error('ECONNREFUSED')
    const err = new StorageError('unavailable', 'The database is unreachable', { cause })
    const stream = createStream(false)
    createOutput({ logFormat: 'pretty', logLevel: 'info' }, stream).log.warn({ err }, 'm')
    createLog('info', stream).warn({ err }, 'm')
    const [pretty = '', json = ''] = stream.chunks
    assert.match(pretty, /warn m err="StorageError: The database is unreachable"\n$/)
    assert.deepEqual(JSON.parse(json).err.cause, { type: 'Error', message: 'ECONNREFUSED' })
    assert.doesNotMatch(json, /stack/)
  })

  it('pretty escapes control characters: a value cannot imitate another line', () => {
    const stream = createStream(false)
    const { log } = createOutput({ logFormat: 'pretty', logLevel: 'info' }, stream)
    log.info({ detail: 'a\n12:00:00 error forged\u009b31m\u202e' }, 'm')
    assert.equal(stream.chunks[0]?.trimEnd().split('\n').length, 1)
    assert.doesNotMatch(stream.chunks[0]?.trimEnd() ?? '', /\p{C}/u)
  })
})
