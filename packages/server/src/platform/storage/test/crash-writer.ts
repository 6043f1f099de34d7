/**
 * A process that tests kill: `node crash-writer.ts <file or url> <writers>`. Keeps that many transactions in progress.
 * Prints `opened` before it migrates, and `ack <key>` after each commit.
 */
import { writeSync } from 'node:fs'
import { openDatabase } from '../open-database.ts'

const [, , location = '', writers = '8'] = process.argv
const isUrl = location.startsWith('postgres:')
const database = await openDatabase({
  ...(isUrl ? { url: location } : { file: location, exclusive: true }),
  onFatal: (error) => process.stdout.write(`fatal ${error.kind}\n`),
})
// With a limit on file sizes, the write fails as it would on a failing disk, instead of terminating this process.
process.on('SIGXFSZ', () => {})
writeSync(1, 'opened\n')
await database.migrate()

let count = 0
let hasFailed = false
await Promise.all(Array.from({ length: Number(writers) }, writeContinuously))
process.stdout.write(`healthy ${await database.healthy()}\n`)
process.stdout.write(`later ${await insert('later').then(() => 'done', getErrorKind)}\n`)

async function insert(...keys: string[]): Promise<void> {
  await database.transaction(async (trx) => {
    for (const key_id of keys) {
      const row = { key_id, sealed: Buffer.alloc(200, count), created_at: count }
      await trx.insertInto('key_checks').values(row).execute()
    }
  })
}

async function writeContinuously(): Promise<void> {
  while (!hasFailed) {
    count += 1
    const key = `${process.pid}-${count}`
    try {
      // Two rows that belong together: one without the other would reveal a partial commit.
      await insert(key, `${key}-twin`)
      writeSync(1, `ack ${key}\n`)
    } catch (error) {
      hasFailed = true
      process.stdout.write(`failed ${getErrorKind(error)}\n`)
    }
  }
}

function getErrorKind(error: unknown): unknown {
  return error instanceof Error && 'kind' in error ? error.kind : error
}
